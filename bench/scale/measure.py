#!/usr/bin/python3
"""Time and own memory of a command, beside the time that reading the evidence takes.

measure.py [--read FOLDER] [--drop-caches] -- vestige audit FOLDER ...

Own memory is the peak of RssAnon in /proc/PID/status, looked at ten times a second: what the
program holds itself, without pages of mapped files, which the kernel may take back at any time.
With --read, the files of the folder are first read once from end to end, as `cat` would; with
--drop-caches (root) the page cache is emptied before each of the two.
"""

import argparse
import os
import subprocess
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("--read", metavar="FOLDER", help="also time reading all its files (default: do not)")
parser.add_argument("--drop-caches", action="store_true", help="empty the page cache before (default: do not)")
parser.add_argument("--limit", type=float, metavar="MB", help="exit with 1 if own memory exceeds this (default: none)")
parser.add_argument("command", nargs="+")
given = parser.parse_args()


def drop_caches():
    if given.drop_caches:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3\n")


def read_everything(folder):
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb", buffering=0) as file:
                while block := file.read(1 << 22):
                    total += len(block)
    return total


def own_kilobytes(process):
    try:
        with open(f"/proc/{process}/status") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


reading = None
if given.read:
    drop_caches()
    start = time.monotonic()
    size = read_everything(given.read)
    reading = time.monotonic() - start
    print(f"reading: {size / 1e9:.2f} GB in {reading:.1f} s, {size / 1e9 / reading:.2f} GB/s", flush=True)
drop_caches()
start = time.monotonic()
running = subprocess.Popen(given.command)
peak = 0
while running.poll() is None:
    peak = max(peak, own_kilobytes(running.pid))
    time.sleep(0.1)
seconds = time.monotonic() - start
children = os.times()
multiple = f", {seconds / reading:.1f} times reading" if reading else ""
print(
    f"command: {seconds:.1f} s{multiple}, {children.children_user + children.children_system:.1f} s of processor, "
    f"own memory at most {peak / 1e3:.0f} MB, exit code {running.returncode}",
    flush=True,
)
over = given.limit is not None and peak / 1e3 > given.limit
sys.exit(running.returncode or int(over))
