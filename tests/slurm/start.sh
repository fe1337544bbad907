#!/bin/sh
# Starts a Slurm cluster on this machine: munged, slurmctld and some nodes, each a slurmd with process
# ids, a host name and mounts of its own, so that killing it ends all that runs on it, as a power cut
# would. Usage: start.sh FOLDER NODES [CORES]; afterwards SLURM_CONF=FOLDER/slurm.conf is all that sbatch
# and srun need, and stop.sh FOLDER ends everything. 77: it cannot run here, with a word why.
set -u
folder=$1
nodes=$2
cores=${3:-2}
# Debian has the daemons where the path of many users does not look.
PATH=$PATH:/usr/sbin:/sbin
export PATH

skip() {
  echo "skipped: $1"
  exit 77
}
for program in munged slurmctld slurmd sbatch srun unshare; do
  command -v "$program" > /dev/null || skip "$program is not installed: make setup-slurm"
done
[ "$(id -u)" = 0 ] || skip "the daemons of a cluster want root"
unshare --pid --mount --uts --fork --mount-proc true 2> /dev/null ||
  skip "this kernel or container gives nodes no process ids of their own (unshare)"

mkdir -p "$folder/state" "$folder/spool" "$folder/log"
chmod 755 "$folder"
# A free range of ports: nothing listens at the first one, and clusters of other tests begin elsewhere.
port=$((20000 + $$ % 2000 * 20))
head -c 1024 /dev/urandom > "$folder/munge.key"
chmod 600 "$folder/munge.key"
# --force: a folder below /tmp is writable for everybody, which munged does not like.
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/log/munged" --seed-file="$folder/munge.seed" \
  2> /dev/null || skip "munged did not start: see $folder/log/munged"

cat > "$folder/slurm.conf" << EOF
ClusterName=vestige
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
AuthInfo=socket=$folder/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd.%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
# A node that says nothing for ten seconds is down, and what ran on it is queued again, soon.
SlurmdTimeout=10
KillWait=5
JobRequeue=1
MinJobAge=3600
SchedulerParameters=bf_interval=2,sched_interval=2
NodeName=n[1-$nodes] NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cores
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
# Slurm's own files are configured by nothing else on this machine.
: > "$folder/cgroup.conf"
SLURM_CONF=$folder/slurm.conf
export SLURM_CONF
slurmctld -c || skip "slurmctld did not start: see $folder/log/slurmctld"

# Nodes outlive this script: stop.sh ends them by the ids that are kept here.
for number in $(seq "$nodes"); do
  "$(dirname "$0")/node.sh" "$folder" "n$number"
done
tries=0
until [ "$(sinfo -h -o '%D' -t idle 2> /dev/null)" = "$nodes" ]; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || {
    sinfo
    "$(dirname "$0")/stop.sh" "$folder"
    skip "the nodes did not come up within 30 s: see $folder/log"
  }
  sleep 0.5
done
echo "cluster of $nodes nodes: SLURM_CONF=$SLURM_CONF"
