#!/bin/sh
# The dry run of a paper size on stand-ins, to its estimate: dry_run_test.sh VESTIGE SOURCE RECIPE WORK.
set -eu
vestige=$1 source=$2 recipe=$3 work=$4
rm -rf "$work/$recipe"
mkdir -p "$work/$recipe"
cd "$source"
"$vestige" bench "recipes/$recipe.toml" --size paper --dry-run --stand-in --threads 1 --workers 1 \
  --pool "$work/$recipe/pool" > "$work/$recipe/plan"
grep -q "models to train and" "$work/$recipe/plan" || { echo "$recipe: no plan"; exit 1; }
grep -q "^about .* with 1 worker: .*training .*auditing" "$work/$recipe/plan" ||
  { echo "$recipe: no estimate"; exit 1; }
if grep "failed on a few rows" "$work/$recipe/plan"; then exit 1; fi
[ ! -e "$work/$recipe/pool" ] || { echo "$recipe: a plan left a pool behind"; exit 1; }
rm -rf "$work/$recipe"
