#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs a build tree into a temporary prefix, moves the prefix, and builds and runs the program
# beside this script against it: through find_package and through pkg-config.
#
#   run.sh BUILD_DIR VERSION COMPILER [FLAG...]      (the compiler and flags of the build tree)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build_dir=$1 version=$2 compiler=$3
flags=("${@:4}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved

expect_version() {  # NAME COMMAND...
  local got
  got=$("${@:2}")
  if [[ $got != "$version" ]]; then
    echo "$1: printed '$got', not '$version'" >&2
    exit 1
  fi
  echo "$1: ok"
}

cmake --install "$build_dir" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$prefix"

if grep -q '^EXACTCAST_BUILD_CLI:BOOL=ON$' "$build_dir/CMakeCache.txt"; then
  [[ -x $prefix/bin/exactcast ]] || { echo "the command was not installed" >&2; exit 1; }
fi

cmake -S "$here" -B "$work/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="${flags[*]}" \
  -DCMAKE_PREFIX_PATH="$prefix" -DEXPECTED_VERSION="$version"
cmake --build "$work/consumer"
expect_version find_package "$work/consumer/consumer"

pc_file=$(find "$prefix" -name exactcast.pc)
export PKG_CONFIG_PATH=${pc_file%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export LD_LIBRARY_PATH=${pc_file%/pkgconfig/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for mode in "" --static; do
  # shellcheck disable=SC2046,SC2086  # pkg-config prints words
  "$compiler" -std=c++20 "${flags[@]}" "$here/main.cc" -o "$work/by_pkg_config" \
    $(pkg-config $mode --cflags --libs exactcast)
  expect_version "pkg-config $mode" "$work/by_pkg_config"
done
