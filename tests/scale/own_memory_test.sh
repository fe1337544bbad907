#!/bin/sh
# own_memory_test.sh VESTIGE SOURCE WORK: families that read rows in blocks hold no split as doubles.
# 0.3 GB of float16 logits: a retain split of 8,663 rows is 69 MB of doubles, and there are fifteen
# models; an audit that held whole splits took 209 MB here, one that reads blocks 64 MB, and 25 MB
# since the constant predictor is one row.
set -eu
vestige=$1 source=$2 work=$3
python=/usr/bin/python3
"$python" -c "import numpy" 2>/dev/null || { echo "skipped: no numpy"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
"$python" "$source/bench/scale/make_evidence.py" "$work/evidence" --gigabytes 0.3
"$python" "$source/bench/scale/measure.py" --limit 50 -- "$vestige" audit "$work/evidence" --quiet \
  --threads 2 --metrics utility,mia,zrf,attacks > "$work/out"
grep "own memory at most" "$work/out"
# A limit that one model's rows exceed is named before the work begins, with the rows it takes:
# 0.05 GB are 6,250 rows of 1,000 doubles.
if "$vestige" audit "$work/evidence" --quiet --memory 0.05 --metrics miau 2> "$work/refused"; then
  echo "miau was not refused" && exit 1
fi
grep "Export at most 6,250 rows" "$work/refused"
