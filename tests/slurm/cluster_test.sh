#!/bin/sh
# An experiment on a Slurm cluster that loses nodes: srun whose node dies, the array that
# `bench --slurm` writes, one element at the end of its time, the node of the leader gone. All end with
# the models and results of one process. Usage: cluster_test.sh VESTIGE WORK [local|delayed]; delayed: each
# node has a mount of its own of the shared folder, which shows what others change five seconds late
# (delayed_folder.py). 77: no cluster here.
set -eu
vestige=$1
work=$2
kind=${3:-local}
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
# A socket's path must be short.
cluster=$(mktemp -d /tmp/vestige-slurm.XXXXXX)
trap '"$here/stop.sh" "$cluster"; rm -rf "$cluster"' EXIT
# What nodes see as $shared lies in $behind.
shared=.
behind=.
if [ "$kind" = delayed ]; then
  /usr/bin/python3 -c "import fusepy" 2> /dev/null || {
    echo "skipped: python3-fusepy is not installed: make setup-slurm"
    exit 77
  }
  [ -c /dev/fuse ] || {
    echo "skipped: there is no /dev/fuse"
    exit 77
  }
  shared=shared
  behind=behind
  mkdir shared behind
  cat > "$cluster/mount.sh" << EOF
#!/bin/sh
/usr/bin/python3 "$here/delayed_folder.py" "$PWD/behind" "$PWD/shared" 5 > "$cluster/log/mount.\$1" 2>&1 &
until mountpoint -q "$PWD/shared"; do sleep 0.1; done
EOF
  chmod +x "$cluster/mount.sh"
fi
"$here/start.sh" "$cluster" 3 2
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF

cat > recipe.toml << EOF
name = "cluster"
seed = 1
data = { name = "synthetic", rows = 3000, test_rows = 300, height = 16, width = 16 }
split = { train = 2000, test = 300 }
forget = { kind = "random", count = 100 }
model = { name = "small_cnn", width = 6 }
train = { epochs = ${VESTIGE_TEST_EPOCHS:-12}, batch = 64, rate = 0.05 }
pool = { original = 5, retrained = 4 }
methods = ["identity", { name = "finetune", epochs = 2, rate = 0.01 }]
bench = { metrics = ["utility.accuracy"] }
EOF

fail() {
  echo "$1"
  squeue || true
  sinfo || true
  tail -n 20 "$cluster/log/slurmctld" ./*.log || true
  exit 1
}
# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
  left=$(($1 * 5))
  shift
  until "$@" > /dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "waited in vain for: $*"
    sleep 0.2
  done
}
models() { (cd "$1" && sha256sum ./*/model.safetensors | sort -k 2); }
made() { [ "$(find "$1" -name model.safetensors 2> /dev/null | wc -l)" -ge "$2" ]; }
# The node that a lock's owner is on: n1 of {"host": "n1-3fa9c2d1", ...}.
node_of() { sed -n 's/.*"host":"\(n[0-9]*\)-.*/\1/p' "$1"; }
some_lock_on() { grep -l "\"host\":\"$2-" "$1"/*.lock; }
# A power cut: everything on the node is gone at once, and it does not say so.
cut_off() { kill -9 "$(cat "$cluster/node.$1.pid")"; }

"$vestige" bench recipe.toml --pool alone/pool --out alone/out --quiet > alone.log 2>&1 ||
  fail "one process failed"

models alone/pool > alone.sums
trains_with_srun() {
  # srun: four ranks on two nodes, one of which dies with models in the making; the same command again.
  srun -n 4 "$vestige" train recipe.toml --pool srun/pool --threads 1 > srun1.log 2>&1 &
  ranks=$!
  wait_for 120 made srun/pool 1
  wait_for 60 some_lock_on srun/pool n2
  cut_off n2
  wait $ranks && fail "srun did not notice that a node died"
  made srun/pool 9 && fail "the node died too late to show anything: give more epochs"
  srun -n 4 "$vestige" train recipe.toml --pool srun/pool --threads 1 > srun2.log 2>&1 ||
    fail "the second srun failed"
  models srun/pool > srun.sums
  [ "$(wc -l < srun.sums)" = 9 ] || fail "srun: 9 models were to be trained"
  grep -qvxFf alone.sums srun.sums && fail "models trained by srun are not those of one process"
  "$here/node.sh" "$cluster" n2
  wait_for 60 sh -c "[ \"\$(sinfo -h -o %D -t idle)\" = 3 ]"
}
[ "$kind" = delayed ] || trains_with_srun

# The array, as the program writes it.
"$vestige" bench recipe.toml --pool "$shared/array/pool" --out "$shared/array/out" --threads 1 --array 4 \
  --slurm=array.sbatch > slurm.log 2>&1 || fail "bench --slurm failed"
job=$(sbatch --parsable array.sbatch)
wait_for 120 made "$behind/array/pool" 1
wait_for 60 test -s "$behind/array/out.lock"
leader=$(node_of "$behind/array/out.lock")
# The end of its time, told to an element on another node; then the leader's node dies.
other=$(squeue -h -j "$job" -t running -o "%i %N" | awk -v node="$leader" '$2 != node { print $1; exit }')
lost=$(squeue -h -j "$job" -t running -o "%i %N" | awk -v node="$leader" '$2 == node { print $1 }')
[ -n "$lost" ] && [ -n "$other" ] || fail "all elements run on one node: $leader leads"
scancel --batch --signal=USR1 "$other"
wait_for 60 some_lock_on "$behind/array/pool" "$leader"
cut_off "$leader"
made "$behind/array/pool" 19 && fail "the node died too late to show anything: give more epochs"
wait_for 600 sh -c "[ -z \"\$(squeue -h -j $job)\" ]"
[ -f "$behind"/array/out/results.json ] || fail "nobody wrote the results"
[ ! -e "$behind/array/out.lock" ] || fail "the lead was not given back"
grep -q "queued again" ./cluster-smoke-"$job"_*.log || fail "no element was queued again at the end of its time"
for element in $lost; do
  scontrol show job "$element" | grep -q "Restarts=[1-9]" || fail "$element was not queued again"
done
models "$behind/array/pool" > array.sums
cmp alone.sums array.sums || fail "models of the array are not those of one process"
/usr/bin/python3 - "$behind/array" << 'EOF' || fail "results of the array are not those of one process"
import json
import sys
alone, array = (json.load(open(f"{name}/out/results.json"))["results"] for name in ("alone", sys.argv[1]))
assert alone and alone == array
EOF
echo "an array of four lost nodes, and ended with the models and results of one process"
