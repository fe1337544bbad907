#!/usr/bin/env bash
# Runs a guide as a reader would: every ```sh block in order, from a copy of what the guide reads. A ```text block behind one lists
# lines that its output must hold, in this order; a line "..." stands for others.
# usage: guide_test.sh SOURCE_DIR VESTIGE_BINARY PAGE
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p bin tests
ln -s "$2" bin/vestige
ln -s "$source_dir/tests/reference" tests/reference
ln -s "$source_dir/demo" demo
export PATH="$work/bin:$PATH" COLUMNS=140

awk '
  /^```sh$/ { kind = "sh"; count++; next }
  /^```text$/ { kind = "text"; next }
  /^```/ { kind = ""; next }
  kind != "" { print > (kind "." count) }' "$source_dir/$3"
ran=0
for ((number = 1; ; ++number)); do
  [ -f "sh.$number" ] || break
  bash -e "sh.$number" > "out.$number" 2>&1 || { cat "out.$number"; echo "failed: $(cat "sh.$number")"; exit 1; }
  ran=$((ran + 1))
  [ -f "text.$number" ] || continue
  from=1
  while IFS= read -r line; do
    [ "$line" != "..." ] || continue
    found=$(tail -n "+$from" "out.$number" | grep -nxF -m 1 -- "$line" | cut -d: -f1) || true
    [ -n "$found" ] || { cat "out.$number"; echo "$3: command $number does not print, in this order: $line"; exit 1; }
    from=$((from + found))
  done < "text.$number"
done
[ "$ran" -gt 0 ] || { echo "$3 has no command"; exit 1; }
