#!/bin/sh
# Ends what start.sh started, by its process ids. Usage: stop.sh FOLDER.
set -u
folder=$1
for file in "$folder"/node.*.pid "$folder/slurmctld.pid" "$folder/munged.pid"; do
  [ -s "$file" ] || continue
  pid=$(cat "$file")
  # Nodes hold jobs that would answer nobody; the daemons may save their state.
  case $file in
    */node.*) kill -9 "$pid" 2> /dev/null ;;
    *) kill "$pid" 2> /dev/null ;;
  esac
  # Until it has written its last file: the folder may be removed afterwards.
  tries=0
  while grep -qs '^State:.[^Z]' "/proc/$pid/status" && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  rm -f "$file"
done
exit 0
