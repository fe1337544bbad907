#!/bin/sh
# Starts one node of a cluster (start.sh), again after it was killed. Usage: node.sh FOLDER NAME. Its
# process is in FOLDER/node.NAME.pid: kill -9 that, and all that runs on the node is gone at once.
set -u
folder=$1
name=$2
PATH=$PATH:/usr/sbin:/sbin
export PATH
mkdir -p "$folder/spool/$name"
SLURM_CONF=$folder/slurm.conf
export SLURM_CONF
# SIGKILL to the first process of a process-id space ends all others in it. The shell is the first, and
# stays: unlike slurmd it collects the ended processes whose parents are gone.
setsid unshare --pid --mount --uts --fork --kill-child --mount-proc sh -c \
  "hostname $name; [ ! -x $folder/mount.sh ] || $folder/mount.sh $name; slurmd -D -N $name; true" \
  > "$folder/log/$name" 2>&1 < /dev/null &
echo $! > "$folder/node.$name.pid"
