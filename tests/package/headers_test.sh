#!/usr/bin/env bash
# Reads each public header alone, so that it brings what it needs; or each benchmark, which no test
# builds. FLAGS in the environment are the compiler's.
# usage: headers_test.sh COMPILER SOURCE_DIR GENERATED_DIR FILE...
set -euo pipefail
compiler=$1 source_dir=$2 generated_dir=$3
shift 3
alone() {
  "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Werror ${FLAGS:-} -I "$2" -I "$3" -x c++ - \
    <<< "#include \"$4\"" || { echo "$4 does not compile alone"; exit 1; }
}
export -f alone
printf '%s\n' "$@" |
  xargs -P "$(nproc)" -I '{}' bash -c 'alone "$@"' alone "$compiler" "$source_dir" "$generated_dir" '{}'
echo "$# files compile alone"
