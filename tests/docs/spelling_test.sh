#!/usr/bin/env bash
# Spelling of pages, comments and texts; tests misspell on purpose and are left out. Skipped (77) without codespell, which
# make test installs, or outside a clone.
# usage: spelling_test.sh SOURCE_DIR
set -euo pipefail
cd "$1"
command -v codespell > /dev/null || { echo "codespell is not installed"; exit 77; }
mapfile -t files < <(git -c safe.directory="$PWD" ls-files -- '*.md' '*.cpp' '*.h' '*.py' '*.pyi' '*.js' '*.mjs' '*.toml' '*.yml' '*.sh' \
  '*.cmake' '*.txt' Makefile ':!tests' ':!*/vendor/*')
[ "${#files[@]}" -gt 500 ] || { echo "git lists ${#files[@]} files here: a clone is needed"; exit 77; }
# Names and terms: ROUGE, false-positive rate, static variables.
codespell --ignore-words-list rouge,fpr,statics "${files[@]}"
echo "${#files[@]} files"
