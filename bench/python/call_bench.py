"""What a metric call costs from Python beside the C++ call on the same arrays.

usage: call_bench.py CALL_TIMES [REPEATS]: prints both times and their ratio; one thread, the least of
REPEATS runs, alternating so that a busy machine disturbs both.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

# One core for both programs, before the compiled part counts them.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

from vestige import metrics  # noqa: E402

ROWS = 200_000


def least(call, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main(program, repeats=20):
    random = np.random.default_rng(0)
    arrays = {"scores": random.uniform(size=ROWS), "labels": random.integers(0, 2, ROWS).astype(np.int32),
              "population": random.uniform(size=10_000),
              "probabilities": random.dirichlet(np.ones(10), size=ROWS)}
    calls = {"auc": lambda: metrics.auc(arrays["scores"], arrays["labels"]),
             "iam_responses": lambda: metrics.iam_responses(arrays["scores"]),
             "rmia_scores": lambda: metrics.rmia_scores(arrays["scores"], arrays["population"], 1),
             "entropies": lambda: metrics.entropies(arrays["probabilities"])}
    native, python = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            np.save(os.path.join(folder, name + ".npy"), array)
        for _ in range(5):
            said = subprocess.run([program, folder, str(repeats)], check=True, capture_output=True,
                                  text=True).stdout
            for line in said.splitlines():
                name, seconds = line.split()
                native[name] = min(native.get(name, np.inf), float(seconds))
            for name, call in calls.items():
                python[name] = min(python.get(name, np.inf), least(call, repeats))
    print(f"{'function':<15} {'C++':>10} {'Python':>10}  ratio")
    for name in calls:
        print(f"{name:<15} {1e3 * native[name]:>8.3f}ms {1e3 * python[name]:>8.3f}ms "
              f"{python[name] / native[name]:>6.3f}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
