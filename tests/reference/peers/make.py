#!/usr/bin/python3
"""Writes values.json: inputs and answers of the metrics that peers have, by plain numpy and scipy.

Run it in its folder with numpy 1.24 and scipy 1.10. Nothing here uses the library under test.
"""
import json

import numpy as np
from scipy import stats
from scipy.spatial import distance

rng = np.random.default_rng(20)
cases = {}


def case(name, **fields):
    cases[name] = {
        key: (value.tolist() if isinstance(value, np.ndarray) else value)
        for key, value in fields.items()
    }


# Closeness: scipy's Jensen-Shannon distance is the root of the divergence, here in nats.
p = rng.dirichlet(np.ones(4), 6)
q = rng.dirichlet(np.ones(4), 6)
case(
    "closeness",
    p=p,
    q=q,
    agreement=(p.argmax(1) == q.argmax(1)).astype(float),
    distance=np.linalg.norm(p - q, axis=1),
    divergence=distance.jensenshannon(p, q, axis=1) ** 2,
)


# KLoM: both ways of binning. numpy.digitize puts the largest value behind the last bin.
def klom(a, b, closed):
    a, b = np.clip(a, -100, 100), np.clip(b, -100, 100)
    low, high = min(a.min(), b.min()), max(a.max(), b.max())
    edges = np.linspace(low, high if high > low else low + 1, 21)
    if closed:
        counts = [np.histogram(x, edges)[0] for x in (a, b)]
    else:
        counts = [np.bincount(np.digitize(x, edges), minlength=22)[1:21] for x in (a, b)]
    ours, theirs = (c / max(c.sum(), 1) for c in counts)
    seen = ours > 0
    return float((ours[seen] * np.log(ours[seen] / np.maximum(theirs[seen], 1e-5))).sum())


unlearned = rng.normal(2, 1.5, (30, 8))
retrained = rng.normal(1, 1, (25, 8))
unlearned[0, 0] = 400
case(
    "klom",
    unlearned=unlearned,
    retrained=retrained,
    exact=[klom(unlearned[:, i], retrained[:, i], True) for i in range(8)],
    reference=[klom(unlearned[:, i], retrained[:, i], False) for i in range(8)],
)


# U-LiRA: two folds of models, one standard deviation a side.
def ulira(u, r):
    accuracy, auc = np.zeros(u.shape[1]), np.zeros(u.shape[1])
    for fit in (0, 1):
        fu, fr, tu, tr = u[fit::2], r[fit::2], u[1 - fit :: 2], r[1 - fit :: 2]
        su, sr = np.sqrt(fu.var(0).mean()), np.sqrt(fr.var(0).mean())

        def ratio(x):
            return stats.norm.logpdf(x, fu.mean(0), su) - stats.norm.logpdf(x, fr.mean(0), sr)

        ours, theirs = ratio(tu), ratio(tr)
        accuracy += ((ours > 0).mean(0) + (theirs < 0).mean(0)) / 4
        for row in range(u.shape[1]):
            wins = stats.mannwhitneyu(ours[:, row], theirs[:, row]).statistic
            auc[row] += wins / (len(ours) * len(theirs)) / 2
    return accuracy, auc


u, r = rng.normal(0.8, 1, (11, 5)), rng.normal(0, 1.3, (9, 5))
accuracy, auc = ulira(u, r)
case("ulira", unlearned=u, retrained=r, accuracy=accuracy, auc=auc)


# Linear CKA by centred Gram matrices, the form of the paper's equation 3.
def cka(x, y):
    n = len(x)
    centre = np.eye(n) - 1 / n
    k, l = centre @ x @ x.T @ centre, centre @ y @ y.T @ centre
    return float((k * l).sum() / np.sqrt((k * k).sum() * (l * l).sum()))


x = rng.normal(size=(12, 5))
y = x[:, :3] @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(12, 4))
wide = rng.normal(size=(12, 20)) + 5
case("cka", x=x, y=y, wide=wide, xy=cka(x, y), x_wide=cka(x, wide), wide_wide=cka(wide, wide))

# Probes: neighbours by full sorting, ridge by the normal equations with an explicit intercept.
labels = rng.integers(0, 3, 40)
rows = rng.normal(size=(40, 6)) * [1, 5, 0.1, 1, 1, 0] + labels[:, None] * 0.9
asked_labels = rng.integers(0, 3, 25)
asked = rng.normal(size=(25, 6)) * [1, 5, 0.1, 1, 1, 0] + asked_labels[:, None] * 0.9
rows[:, 5] = asked[:, 5] = 7
order = np.argsort(distance.cdist(asked, rows), axis=1, kind="stable")[:, :7]
votes = np.stack([(labels[order] == c).sum(1) for c in range(3)], 1)
spread = rows.std(0)
spread[5] = np.inf
z, za = (rows - rows.mean(0)) / spread, (asked - rows.mean(0)) / spread
design = np.hstack([z, np.ones((40, 1))])
penalty = np.diag([1.0] * 6 + [0])
weights = np.linalg.solve(design.T @ design + penalty, design.T @ np.eye(3)[labels])
answers = np.hstack([za, np.ones((25, 1))]) @ weights
case(
    "probes",
    rows=rows,
    labels=labels,
    asked=asked,
    asked_labels=asked_labels,
    neighbours=(votes.argmax(1) == asked_labels).astype(float),
    linear=(answers.argmax(1) == asked_labels).astype(float),
)

with open("values.json", "w") as file:
    json.dump(cases, file, indent=1)
    file.write("\n")
