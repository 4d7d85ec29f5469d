#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that an #include only points down: cli -> containers -> plan and run -> kernels -> spec;
# the bench stands beside cli.
# The table below is the whole rule; its order is the order of the layers, from the bottom up.
# Prints file:line and the rule for each offence; status 1 if there is one.
#
#   check_layers.sh [ROOT]      (the source tree; by default the one this script lies in)
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# A file takes the first row that matches its path; then each project file it includes must match
# the second column. Columns are extended regular expressions over whole paths. Short forms:
# API = include/exactcast/, SPEC = include/exactcast/spec/; A!B = A but not B.
rules='
# file                                        may include
SPEC(format|format_names|hifloat8|rounding).h SPEC(format|rounding).h
SPECcodec.h                                   SPEC(format|hifloat8).h
SPECrules.h                                   SPEC(format|rounding).h
SPEC(reference|scaled).h                      SPEC(codec|format|format_names|hifloat8|rounding|rules|reference|scaled).h
SPEC(profile.h|profiles/.*)                   SPEC(tosa_version|format|format_names|hifloat8|rounding|rules|rescale|profile|profiles/.*).h
SPECrescale.h                                 SPECformat.h
SPECreal_scale.h                              SPEC(format|rescale).h
SPECtosa_version.h                            SPEC(format).h
SPECtosa_rescale.h                            SPEC(format|format_names|rescale|tosa_version).h
SPEC.*                                        SPEC.*
API(status|version).h                         API(status|version).h
src/kernels/.*                                SPEC(codec|format|format_names|hifloat8|rounding|rules|reference|scaled|rescale).h|src/kernels/.*
API(exactcast|container|cast_file|tensor_files).h          API.*
src/(containers/.*|tensors/.*|cast_file.(h|cc)|compare_arrays.(h|cc)|(compare|number|rescale|vector)_files.cc) API.*|src/.*
API[^/]*                                      SPEC.*|API[^/]*.h!API(exactcast|container|cast_file|tensor_files).h
src/[^/]*                                     SPEC.*|API[^/]*.h|src/kernels/.*|src/[^/]*!API(exactcast|container|cast_file|tensor_files).h|src/cast_file.h
cli/.*                                        API.*|cli/.*
bench/.*                                      API.*|src/kernels/cpu_target.h|bench/.*
'
# The standard headers that spec may include: no allocation, no I/O, no run-time support.
freestanding='algorithm array bit compare cstddef cstdint limits optional span string_view type_traits utility'

find_sources() {
  local folders=() folder
  for folder in include src cli bench; do [[ -d $folder ]] && folders+=("$folder"); done
  [[ ${#folders[@]} -eq 0 ]] ||
    find "${folders[@]}" -type f \( -name '*.h' -o -name '*.h.in' -o -name '*.cc' \) | sort
}

check_includes() {
  awk -v rules="$rules" -v freestanding="$freestanding" '
    function pattern(text) {
      gsub(/SPEC/, "include/exactcast/spec/", text)
      gsub(/API/, "include/exactcast/", text)
      gsub(/\.h/, "\\.h", text)
      return "^(" text ")$"
    }
    function exists(path,   line, found) {
      found = (getline line < path) >= 0
      close(path)
      return found
    }
    function normal(path) {  # a/b/../c -> a/c
      gsub(/\/\.\//, "/", path)
      while (sub(/[^\/]+\/\.\.\//, "", path)) {}
      return path
    }
    function resolve(name, quoted, file,   folder, near) {  # "" when it is no file of the project
      if (name ~ /^exactcast\//) return "include/" normal(name)  # version.h is generated
      if (!quoted) return ""
      folder = file
      sub(/[^\/]*$/, "", folder)
      near = normal(folder name)
      if (exists(near)) return near
      if (exists(name)) return normal(name)
      if (exists("src/" name)) return normal("src/" name)
      return ""
    }
    function offence(text) {
      printf "%s:%d: %s\n    %s\n", FILENAME, FNR, text, $0
      failed = 1
    }
    BEGIN {
      count = split(rules, lines, "\n")
      for (i = 1; i <= count; ++i) {
        if (lines[i] == "" || lines[i] ~ /^#/) continue
        split(lines[i], column, / +/)
        split(column[2], part, "!")
        subject[++rows] = pattern(column[1])
        allowed[rows] = pattern(part[1])
        denied[rows] = (2 in part) ? pattern(part[2]) : ""
        shown[rows] = lines[i]
        sub(/ +/, "  ->  ", shown[rows])
        sub(/!/, "  but not  ", shown[rows])
        delete part
      }
      count = split(freestanding, words, " ")
      for (i = 1; i <= count; ++i) is_freestanding[words[i]] = 1
    }
    FNR == 1 {
      path = FILENAME
      sub(/\.in$/, "", path)
      for (row = 1; row <= rows && path !~ subject[row]; ++row) {}
      if (row > rows) offence("this file is in no layer: give it a row in scripts/check_layers.sh")
    }
    row <= rows && /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
      name = $0
      sub(/^[^<"]*[<"]/, "", name)
      quoted = $0 ~ /^[^<]*"/
      sub(/[>"].*$/, "", name)
      target = resolve(name, quoted, FILENAME)
      if (target != "") {
        if (target !~ allowed[row] || (denied[row] != "" && target ~ denied[row]))
          offence("may not include " target "; the rule: " shown[row])
      } else if (name ~ /^hwy\// && path !~ /^(src\/kernels|bench)\//) {
        offence("only src/kernels and bench may include hwy/")
      } else if (path ~ /^include\/exactcast\/spec\// && !(name in is_freestanding)) {
        offence("spec may include only these headers from outside: " freestanding)
      }
    }
    END { exit failed }
  ' "$@"
}

failed=0
mapfile -t sources < <(find_sources)
if [[ ${#sources[@]} -gt 0 ]]; then
  check_includes "${sources[@]}" || failed=1
fi

# Vendor rules reach a kernel as constants, never as a name. (The word "ascending" is fine.)
if [[ -d src/kernels ]] && grep -rniE 'ascend($|[^i])|tosa' src/kernels; then
  echo "^ src/kernels may not name a vendor or a profile"
  failed=1
fi
exit "$failed"
