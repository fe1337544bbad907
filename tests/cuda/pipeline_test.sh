#!/bin/sh
# The whole lab on a CUDA device: train, a worker killed in the middle, resume, every method, collect,
# audit. Usage: pipeline_test.sh VESTIGE WORK [DEVICE]; 77: there is no device.
set -eu
vestige=$1
work=$2
device=${3:-cuda}
precision=bf16
[ "$device" = cuda ] || precision=float32
rm -rf "$work"
mkdir -p "$work"
cd "$work"
# External programs have tests of their own, the boundary methods forget whole classes, and random
# targets are for denoisers.
methods=$("$vestige" methods | awk 'NF == 0 { exit } $1 != "external" && $1 !~ /^(boundary|random_targets)/ { printf "%s\"%s\"", sep, $1; sep = ", " }')
cat > recipe.toml << EOF
name = "cuda"
seed = 1
data = { name = "synthetic", rows = 800, test_rows = 200, height = 16, width = 16 }
split = { train = 600, validation = 100, test = 200 }
forget = { kind = "random", count = 60 }
model = { name = "small_cnn", width = 4 }
train = { epochs = 4, batch = 64, precision = "$precision", log_forget_updates = true, copies = 1 }
collect = { rows = 0, dtype = "float32" }
methods = [$methods]
[pool]
folder = "pool"
original = 1
retrained = 2
EOF
"$vestige" train recipe.toml --device "$device" --workers 1 > train.log 2>&1 || {
  grep -q "there is no CUDA device" train.log && { echo "skipped: there is no CUDA device"; exit 77; }
  cat train.log
  exit 1
}
"$vestige" unlearn recipe.toml --device "$device" --workers 2 > killed.log 2>&1 &
pid=$!
sleep 5
kill -9 $pid 2> /dev/null || true
wait $pid 2> /dev/null || true
sleep 1
"$vestige" unlearn recipe.toml --device "$device" --workers 2 > unlearn.log 2>&1 || { cat unlearn.log; exit 1; }
"$vestige" collect recipe.toml --device "$device" --out evidence > collect.log 2>&1 || { cat collect.log; exit 1; }
"$vestige" audit evidence --metrics utility --out audit > audit.log 2>&1 || [ $? -eq 3 ] || { cat audit.log; exit 1; }
echo "every method was trained, unlearned, collected and audited on CUDA"
