"""What a metric that is a Python function adds to an audit, and what a search over settings costs.

usage: metric_bench.py [REPEATS]: prints CPU milliseconds per comparison, one thread, the least of REPEATS, for a function that takes 1 ms, and the CPU
seconds of 50 calls of holdout_gap and of 50 audits for share_left, with 2,000 examples a split.
"""

import sys
import time

import numpy as np

import vestige

EXAMPLES, CLASSES, MODELS = 2000, 10, 4


def outputs(random, labels, sure):
    made = {}
    for split, own in labels.items():
        made[split] = random.normal(size=(EXAMPLES, CLASSES)).astype(np.float32)
        made[split][np.arange(EXAMPLES), own] += 2 + (sure if split == "forget" else 0)
    return made


def evidence_of(random, labels):
    evidence = vestige.Evidence()
    for split, own in labels.items():
        evidence.add_rows(split, labels=own)
    for name in range(MODELS):
        for role, sure in (("original", 2), ("retrained", 0), ("unlearned/half", 1)):
            evidence.add(role, name, **outputs(random, labels, sure))
    return evidence


def one_millisecond(forget):
    """forget outputs, after a millisecond"""
    end = time.thread_time() + 0.001
    while time.thread_time() < end:
        pass
    return forget.outputs[:, 0]


def least(call, repeats):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        found = call()
        times.append(time.process_time() - start)
    return min(times), found


def main(repeats=10):
    random = np.random.default_rng(0)
    labels = {split: random.integers(0, CLASSES, EXAMPLES) for split in ("forget", "retain", "test")}
    evidence = evidence_of(random, labels)
    for others in (["utility", "entropy"], ["utility"]):  # entropy is compared example by example too
        without, _ = least(lambda: vestige.audit(evidence, others, threads=1), repeats)
        vestige.metric("one_millisecond")(one_millisecond)
        with_it, audit = least(lambda: vestige.audit(evidence, [*others, "one_millisecond"], threads=1), repeats)
        vestige.remove_metric("one_millisecond")
        comparisons = len(audit._chosen("one_millisecond"))
        print(f"audit of {' and '.join(others)}: {1e3 * without:.1f} ms, with the metric {1e3 * with_it:.1f} ms: "
              f"{1e3 * (with_it - without) / comparisons:.2f} ms for each of {comparisons} comparisons")
    two = {split: labels[split] for split in ("forget", "test")}
    original, retrained = outputs(random, two, 2), outputs(random, two, 0)
    start = time.process_time()
    shares = [vestige.holdout_gap(method=outputs(random, two, sure), retrained=retrained, original=original,
                                  labels=two).share_left for sure in np.linspace(0, 2, 50)]
    print(f"50 settings by holdout_gap: {time.process_time() - start:.2f} s of CPU; share left {shares[0]:.2f} to "
          f"{shares[-1]:.2f}")
    start = time.process_time()
    for sure in np.linspace(0, 2, 50):
        evidence.add("unlearned/half", 0, replace=True, **outputs(random, labels, sure))
        vestige.audit(evidence, ["holdout_gap"]).share_left["half"]
    print(f"50 settings by audits of {3 * MODELS} models: {time.process_time() - start:.2f} s of CPU")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
