"""The epsilon framework and MIAU with attacks and aggregations that are Python functions."""

from __future__ import annotations

import dataclasses

import numpy as np

from vestige._compiled import core
from vestige._numpy import as_numpy


@dataclasses.dataclass
class EpsilonScores:
    """What ``epsilon_framework`` gives."""

    epsilons: np.ndarray  #: [examples]; nan where every attack was discarded
    score: float  #: what the aggregation made of them


def epsilon_framework(unlearned, retrained, *, attack=None, aggregate=None, delta=1e-5, cap=50.0):
    """Epsilons of every example by an attack of your own, and a score by an aggregation of your own.

    ``unlearned`` and ``retrained`` are [models, examples] confidences. ``attack(unlearned, retrained)`` gets the two
    samples of one example, [models] each, and returns the false positive and false negative rates of its decision rules,
    (fpr, fnr), arrays of equal length: its trade-off. Epsilon is the largest over rules of
    ln((1 - delta - fpr) / fnr) and ln((1 - delta - fnr) / fpr), at least 0; a rule without any error gives ``cap``, one with
    exactly one rate of 0 is discarded (docs/metrics/epsilon.md). ``aggregate(epsilons)`` makes a number of the epsilons.
    Without ``attack``: all single and double thresholds; without ``aggregate``: the competition's F.
    """
    samples = [np.ascontiguousarray(as_numpy(values), np.float64) for values in (unlearned, retrained)]
    for name, values in zip(("unlearned", "retrained"), samples):
        if values.ndim != 2 or not values.size or not np.isfinite(values).all():
            raise ValueError(f"{name} has shape {values.shape}: give finite confidences [models, examples]")
    if samples[0].shape[1] != samples[1].shape[1]:
        raise ValueError(f"unlearned has {samples[0].shape[1]} examples and retrained {samples[1].shape[1]}: give the same")
    if attack is None:
        epsilons = np.array([found.epsilon for found in core().metrics.epsilons(*samples, delta=delta, cap=cap)])
    else:
        for values in samples:
            values.flags.writeable = False
        epsilons = np.array([_epsilon(attack, samples[0][:, row], samples[1][:, row], row, delta, cap)
                             for row in range(samples[0].shape[1])])
    if aggregate is None:
        models = min(len(values) for values in samples)
        return EpsilonScores(epsilons, core().metrics.forget_score(epsilons, models).value)
    score = np.asarray(asked(aggregate, "aggregate", "", epsilons.copy()))
    if score.ndim or score.dtype.kind not in "fiub":
        raise ValueError(f"aggregate returned {score.dtype} of shape {score.shape}: return one number")
    return EpsilonScores(epsilons, float(score))


def asked(function, name, where, *arguments):
    """What a function of the user returns; its error is one sentence that names it and says where."""
    try:
        return function(*arguments)
    except Exception as error:
        text = " ".join(str(error).split()) or "without a message"
        raise ValueError(f"{name} failed{where}: {type(error).__name__}: {text}") from error


def _epsilon(attack, unlearned, retrained, row, delta, cap):
    found = asked(attack, "attack", f" on example {row}", unlearned, retrained)
    try:
        fpr, fnr = (np.asarray(as_numpy(rates), np.float64) for rates in found)
    except (TypeError, ValueError) as error:
        raise ValueError(f"attack returned a value of type {type(found).__name__} on example {row}: it must return "
                         "(fpr, fnr)") from error
    if fpr.ndim != 1 or fpr.shape != fnr.shape or not len(fpr):
        raise ValueError(f"attack returned rates of shapes {fpr.shape} and {fnr.shape} on example {row}: return two "
                         "arrays of equal length")
    if not (((fpr >= 0) & (fpr <= 1) & (fnr >= 0) & (fnr <= 1)).all()):
        raise ValueError(f"attack returned rates outside 0 to 1 on example {row}")
    if ((fpr == 0) & (fnr == 0)).any():
        return cap
    usable = (fpr > 0) & (fnr > 0)
    if not usable.any():
        return np.nan
    fpr, fnr = fpr[usable], fnr[usable]
    best = 0.0
    for first, second in ((fpr, fnr), (fnr, fpr)):
        room = 1 - delta - first
        if (room > 0).any():
            best = max(best, float(np.log(room[room > 0] / second[room > 0]).max()))
    return min(best, cap)


def miau_framework(attack, *, original, retrained, unlearned, alpha=13.8, weights=(1 / 3, 1 / 3, 1 / 3)):
    """The MIAU score with any membership attack.

    ``original``, ``retrained`` and ``unlearned`` are what one model said: {"forget": ..., "retain": ..., "test": ...}, in
    whatever form ``attack`` takes. ``attack(members, others)`` returns the accuracy, 0 to 1, with which it tells the two
    apart; it is asked about (forget, retain), (forget, test) and (retain, test) of each model (docs/metrics/miau.md).
    """
    accuracies = []
    for name, model in (("original", original), ("retrained", retrained), ("unlearned", unlearned)):
        row = []
        for first, second in (("forget", "retain"), ("forget", "test"), ("retain", "test")):
            if first not in model or second not in model:
                raise ValueError(f"{name} lacks '{first if first not in model else second}': give forget, retain and test")
            where = f" on {name}, {first} against {second}"
            found = asked(attack, "attack", where, model[first], model[second])
            try:
                accuracy = float(found)
            except (TypeError, ValueError):
                accuracy = np.nan
            if not 0 <= accuracy <= 1:
                raise ValueError(f"attack returned {found!r}{where}: return an accuracy from 0 to 1")
            row.append(100 * accuracy)
        accuracies.append(row)
    return core().metrics.miau_score(*accuracies, alpha=alpha, weights=list(weights))
