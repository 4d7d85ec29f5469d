#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that the code of the library, constants included, stays within its budget, and shows the
# largest parts. Status 77 (skipped) for builds whose size says nothing.
#
#   library_size.sh LIBRARY BUILD_TYPE BYTES
set -euo pipefail
library=$1 build_type=$2 budget=$3

skip() { echo "skipped: $*"; exit 77; }
[[ $build_type == Release ]] || skip "a $build_type build; the budget is for Release builds"
[[ $library == *.a ]] || skip "$library is not a static library"
command -v size >/dev/null || skip "size is not installed (Debian: binutils)"

size "$library" | tail -n +2 | sort -rn | awk '{printf "%9d  %s\n", $1, $6}' | head -12
# Linked as a whole: what several objects have alike counts once.
whole=$(mktemp)
trap 'rm -f "$whole"' EXIT
ld -r -o "$whole" --whole-archive "$library"
total=$(size "$whole" | awk 'END {print $1}')
printf '%9d  all; budget %d\n' "$total" "$budget"
if ((total > budget)); then
  echo "the library is $((total - budget)) bytes over its budget"
  exit 1
fi
