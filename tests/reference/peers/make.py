#!/usr/bin/python3
"""Writes values.json: inputs and answers of the metrics that peers have, by plain numpy and scipy.

Run it in its folder with numpy 1.24 and scipy 1.10. Nothing here uses the library under test.
"""
import json

import numpy as np
from scipy import optimize, stats
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


# U-LiRA: two folds of models, one standard deviation per group.
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


# The witness of the de-regularised MMD (Chen et al. 2024, equation 71), term by term, with an
# explicit inverse, and the divergences of its ratio.
def gaussian(a, b, sigma):
    return np.exp(-distance.cdist(a, b, "sqeuclidean") / (2 * sigma**2))


p_sample, q_sample = rng.normal(0, 1, (15, 2)), rng.normal(0.7, 0.8, (15, 2))
sigma, lam = 1.3, 0.05
kpp, kpq = gaussian(p_sample, p_sample, sigma), gaussian(p_sample, q_sample, sigma)
kqq = gaussian(q_sample, q_sample, sigma)
inverse = np.linalg.inv(kpp + 15 * lam * np.eye(15))


def ratio(kzp, kzq):
    first = kzq.mean(1) - kzp.mean(1)
    second = -(kzp @ inverse @ kpq).mean(1)
    third = kzp @ inverse @ kpp.mean(1)
    return 1 + (first + second + third) / lam * (1 + lam)


ratio_p, ratio_q = ratio(kpp, kpq), ratio(kpq.T, kqq)
drmmd = (
    (kqq.mean() + kpp.mean() - 2 * kpq.mean())
    - (kpq.T @ inverse @ kpq).mean()
    + 2 * (kpp.T @ inverse @ kpq).mean()
    - (kpp.T @ inverse @ kpp).mean()
) / lam * (1 + lam)
case(
    "witness",
    p=p_sample,
    q=q_sample,
    sigma=sigma,
    lam=lam,
    ratio=np.concatenate([ratio_p, ratio_q]),
    divergences=[
        drmmd,
        (ratio_q > 1).mean() - (ratio_p > 1).mean(),
        np.log(np.maximum(ratio_q, 1e-3)).mean() - np.maximum(ratio_p, 1e-3).mean() + 1,
    ],
)


# SMI: inner products of mean embeddings, loops over pairs of different rows.
def inner(a, b, same):
    kernel = gaussian(a, b, 0.7)
    pairs = [kernel[i, j] for i in range(len(a)) for j in range(len(b)) if not (same and i == j)]
    return float(np.mean(pairs))


members, others = rng.normal(0, 0.5, (12, 2)), rng.normal(1, 1, (14, 2))
forget = np.vstack([rng.normal(0, 0.5, (4, 2)), rng.normal(1, 1, (6, 2))])
apart = inner(members, members, True) + inner(others, others, True)
apart -= 2 * inner(members, others, False)
towards = inner(forget, others, False) - inner(forget, members, False)
towards += inner(members, members, True) - inner(members, others, False)
case(
    "smi",
    forget=forget,
    members=members,
    others=others,
    sigma=0.7,
    distance=apart,
    share=towards / apart,
)


# The one-run bound: the binomial tail and the steepest average below it, by scipy's binomial.
def canary_p(m, r, v, epsilon, delta):
    q = 1 / (1 + np.exp(-epsilon))
    below = [stats.binom.cdf(v - 1, r, q) - stats.binom.cdf(v - 1 - i, r, q) for i in range(1, v + 1)]
    steepest = max(b / i for i, b in enumerate(below, 1))
    return min(1.0, stats.binom.sf(v - 1, r, q) + 2 * m * delta * steepest)


def canary_epsilon(m, r, v, delta, confidence):
    if canary_p(m, r, v, 0, delta) > 1 - confidence:
        return 0.0
    grid = optimize.brentq(lambda e: canary_p(m, r, v, e, delta) - (1 - confidence), 0, 50, xtol=1e-12)
    return float(grid)


settings = [(1000, 1000, 600, 0), (1000, 200, 170, 1e-5), (500, 50, 50, 1e-5), (100, 100, 52, 1e-5)]
case(
    "one_run",
    settings=np.array(settings, dtype=float),
    p_at_half=[canary_p(m, r, v, 0.5, d) for m, r, v, d in settings],
    epsilon=[canary_epsilon(m, r, v, d, 0.95) for m, r, v, d in settings],
)

with open("values.json", "w") as file:
    json.dump(cases, file, indent=1)
    file.write("\n")
