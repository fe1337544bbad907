#!/usr/bin/env bash
# Runs docs/start/first-audit.md as a reader would: its Python blocks in order, then its shell commands.
# usage: tutorial_test.sh SOURCE_DIR VESTIGE_BINARY
set -euo pipefail
source_dir=$1
binary=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin
ln -s "$binary" bin/vestige
export PATH="$work/bin:$PATH" PYTHONPATH="$source_dir/tests/docs" PYTHONDONTWRITEBYTECODE=1

block() {  # block LANGUAGE NUMBER: the NUMBERth fenced block of that language
  awk -v fence='```'"$1" -v want="$2" '
    $0 == fence { count++; inside = count == want; next }
    $0 == "```" { inside = 0 }
    inside' "$source_dir/docs/start/first-audit.md"
}

cat > models.py <<'PY'
import numpy as np
import torch

rng = np.random.default_rng(7)
centres = rng.normal(size=(4, 60))
def draw(rows):
    labels = rng.integers(0, 4, rows)
    return 0.25 * centres[labels] + rng.normal(size=(rows, 60)), labels
data = {split: draw(rows) for split, rows in [("forget", 60), ("retain", 200), ("test", 300)]}
def loader(split, batch=32):
    x, y = data[split]
    return [(torch.Tensor(x[i:i + batch]), torch.Tensor(y[i:i + batch]))
            for i in range(0, len(x), batch)]
forget_loader, retain_loader, test_loader = (loader(s) for s in ["forget", "retain", "test"])
both = [np.concatenate([data["forget"][i], data["retain"][i]]) for i in (0, 1)]
original = torch.Linear(*both, 4)
retrained = torch.Linear(*data["retain"], 4)
unlearned = torch.Linear(*data["retain"], 4, steps=30, seed=3)
PY
{ cat models.py; block python 1; block python 2; } > export.py
/usr/bin/python3 export.py
for step in 1 2; do block sh "$step" > step.sh; bash -e step.sh > "step$step.txt"; done
block python 3 > read.py
/usr/bin/python3 read.py > read.txt
grep -q '0 errors' step1.txt
grep -q 'audit/results.json' step2.txt
grep -q '^unlearned/finetune/0 method 0\.' read.txt
grep -q '^retrained/0 retrained 0\.' read.txt
# The original memorised the forget rows, the retrained model did not.
awk '$1 == "original/0" { o = $3 } $1 == "retrained/0" { r = $3 } END { exit !(o > r + 0.05) }' read.txt
echo "tutorial: all steps ran"
