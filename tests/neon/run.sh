#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the proofs of the kernels for 64-bit Arm and runs them in qemu, on NEON. Where packages that
# this takes are missing, says which and how to get them, with status 77 (skipped).
#
#   run.sh BUILD_DIR [CMAKE]
set -euo pipefail
build=$1
cmake=${2:-cmake}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tests=(cpu_state_test kernel_proof_test rescale_kernel_test rescale_vector_test statistics_test)
mapfile -t packages <"$source/packages"

if [[ $(uname -m) == aarch64 ]]; then
  echo "SKIPPED: this machine is 64-bit Arm; the other tests run on its own NEON"
  exit 77
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "SKIPPED: missing ${missing[*]}. On Debian 12, as root:"
  echo "  dpkg --add-architecture arm64 && apt-get update && apt-get install ${missing[*]}"
  exit 77
fi

log=$build.log
{
  "$cmake" -S "$source" -B "$build" -G Ninja --toolchain "$source/../../cmake/aarch64.cmake" \
    -DCMAKE_BUILD_TYPE=Release &&
    "$cmake" --build "$build" --parallel 2 --target "${tests[@]}"
} >"$log" 2>&1 || { cat "$log"; exit 1; }

# Two at a time, as ctest runs others beside this one.
printf '%s\0' "${tests[@]}" | xargs -0 -P 2 -I '{}' \
  qemu-aarch64 -L / "$build/{}" --gtest_brief=1
