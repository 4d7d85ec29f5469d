#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that every C++ file is formatted as .clang-format says.
#
#   check_format.sh          prints what differs; status 1 if anything does
#   check_format.sh --fix    rewrites the files instead
#
# The release is fixed because releases format differently; without it the status is 77 (skipped).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
formatter=clang-format-14

if ! command -v "$formatter" >/dev/null; then
  echo "$formatter is not installed: skipped"
  exit 77
fi

list_files() {  # what git would hold; without git, every file outside build and dot folders
  git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' 2>/dev/null ||
    find . \( -path ./build -o -path './.?*' \) -prune -o \
      -type f \( -name '*.h' -o -name '*.cc' \) -print0
}

files=()
while IFS= read -r -d '' file; do
  [[ -f $file ]] && files+=("$file")  # git still lists what was just deleted
done < <(list_files | sort -z)
[[ ${#files[@]} -gt 0 ]] || { echo "no C++ files"; exit 0; }

if [[ ${1:-} == --fix ]]; then
  "$formatter" -i "${files[@]}"
elif ! "$formatter" --dry-run -Werror "${files[@]}"; then
  echo "run ./dev format" >&2
  exit 1
fi
