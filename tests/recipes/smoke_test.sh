#!/bin/sh
# The smoke size of a recipe, run to its report: smoke_test.sh VESTIGE SOURCE RECIPE WORK.
set -eu
vestige=$1 source=$2 recipe=$3 work=$4
rm -rf "$work/$recipe"
mkdir -p "$work/$recipe"
cd "$source"
"$vestige" bench "recipes/$recipe.toml" --pool "$work/$recipe/pool" --out "$work/$recipe/out" --quiet
for file in report.html results.json tables; do
  [ -e "$work/$recipe/out/$file" ] || { echo "$recipe left no $file"; exit 1; }
done
rm -rf "$work/$recipe"
