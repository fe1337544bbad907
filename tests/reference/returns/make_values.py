"""Expected values of tests/metrics/returns/returns_test.cpp, by numpy and plain formulas alone.

One model per group and one stratum: the difference in differences is Welch's comparison of the row-wise
differences on target rows with those on unseen rows. Student's quantile comes from a table (t 0.975).
Run: python3 make_values.py > values.json
"""
import json

import numpy as np

random = np.random.default_rng(11)
TARGETS, UNSEEN, ROOM = 12, 12, 0.4


def side(target, unseen, moved_target, moved_unseen):
    before = [target + 0.1 * random.random(TARGETS), unseen + 0.1 * random.random(UNSEEN)]
    after = [before[0] + moved_target + 0.05 * random.random(TARGETS),
             before[1] + moved_unseen + 0.05 * random.random(UNSEEN)]
    return {"before": [values.round(6) for values in before],
            "after": [values.round(6) for values in after]}


def welch(target, unseen):
    variances = [np.var(values, ddof=1) / len(values) for values in (target, unseen)]
    error = np.sqrt(sum(variances))
    degrees = sum(variances) ** 2 / sum(v ** 2 / (len(values) - 1)
                                        for v, values in zip(variances, (target, unseen)))
    return {"estimate": (np.mean(target) - np.mean(unseen)) / ROOM, "error": error / ROOM,
            "degrees": degrees}


method = side(0.5, 0.5, 0.25, 0.05)
retrained = side(0.45, 0.5, 0.05, 0.02)
moved = {name: [after - before for after, before in zip(own["after"], own["before"])]
         for name, own in (("method", method), ("retrained", retrained))}
values = {
    "room": ROOM,
    "method": method,
    "retrained": retrained,
    "after": welch(*[m - r for m, r in zip(method["after"], retrained["after"])]),
    "gain": welch(*[m - r for m, r in zip(moved["method"], moved["retrained"])]),
}
print(json.dumps(values, indent=1, default=lambda value: np.asarray(value).tolist()))
