#!/bin/sh
# Places of processes started alone, by mpirun and by srun (its variables); a rank that fails.
set -u
probe=$1
# Open MPI refuses root without these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

expect() {  # NAME EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    printf '%s: expected\n%s\nbut got\n%s\n' "$1" "$2" "$3"
    exit 1
  fi
}

expect alone "rank 0 of 1" "$(env -u SLURM_PROCID -u SLURM_NTASKS "$probe")"
expect srun "rank 3 of 4" "$(SLURM_PROCID=3 SLURM_NTASKS=4 "$probe")"
expect "a worker of a rank" "rank 0 of 1" \
  "$(env -u SLURM_PROCID -u SLURM_NTASKS OMPI_COMM_WORLD_SIZE=2 VESTIGE_WORKER_PARENT=1 "$probe")"
# sbatch --array=4-10:3 and --array=1,5,7, whose last element is behind the number of elements.
array() { env -u SLURM_PROCID -u SLURM_NTASKS SLURM_ARRAY_TASK_COUNT=3 "$@" "$probe"; }
expect "the last of an array" "element 2 of 3, rank 0 of 1" \
  "$(array SLURM_ARRAY_TASK_ID=10 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_STEP=3)"
expect "an element of a list" "element 0 of 3, rank 0 of 1" \
  "$(array SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=1)"
expect "an array of one" "rank 0 of 1" "$(SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_ID=7 "$probe")"
if ! command -v mpirun >/dev/null; then
  echo "mpirun is not installed: only places without it were tested"
  exit 0
fi
expect mpirun "rank 0 of 2
rank 1 of 2" "$(mpirun --oversubscribe -n 2 "$probe" | sort)"
# The failing rank's exit code comes back, and the other one was not ended in the middle.
out=$(mpirun --oversubscribe -n 2 "$probe" fail 2>/dev/null)
expect "exit code of a failing rank" 2 $?
expect "the rank beside it" "rank 0 of 2" "$(printf '%s\n' "$out" | grep '^rank')"
