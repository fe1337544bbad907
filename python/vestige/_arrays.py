"""Answers and attacks on plain arrays: logits and labels in, without evidence to build up."""

from __future__ import annotations

import dataclasses

import numpy as np

from vestige._compiled import core
from vestige._evidence import Evidence
from vestige._numpy import as_numpy


@dataclasses.dataclass
class HoldoutGap:
    """What is left by the gap to unseen examples."""

    share_left: float  #: 0: as retrained, 1: as the original; nan where it cannot be said
    interval: tuple  #: 95 %, (lower, upper)
    word: str  #: the verdict: traces_remain, over_forgotten, not_decided, ...
    sentence: str  #: the same as a sentence
    gaps: dict  #: {"method", "retrained", "original"}: probability of the true class, forget minus test


def holdout_gap(*, method, retrained, original, labels, seed=1):
    """How much of what the original knows of the forget set a method has left.

    ``method``, ``retrained`` and ``original`` are {"forget": outputs [n, C], "test": outputs [m, C]} of one
    model, or a list of such for several; ``labels`` is {"forget": [n], "test": [m]}. Test examples are those that
    no model was trained on. The confidence on forget minus that on test is compared with the retrained models'
    (docs/concepts/verdicts.md). The word is never "forgotten" unless retain is given too: utility was not measured.
    """
    from vestige._audit import audit

    if not hasattr(labels, "items"):
        raise ValueError(f"labels is of type {type(labels).__name__}: give a dictionary, {{'forget': [n], 'test': [m]}}")
    for split in ("forget", "test"):
        if split not in labels:
            raise ValueError(f"labels have no '{split}': give labels of forget and of test")
    evidence = Evidence(name="arrays")
    for split, values in labels.items():
        evidence.add_rows(split, labels=values)
    for role, name, models in (("original", "original", original), ("retrained", "retrained", retrained),
                               ("unlearned/method", "method", method)):
        models = [models] if hasattr(models, "items") else list(models)
        for number, model in enumerate(models):
            if not hasattr(model, "items"):
                raise ValueError(f"{name} is no dictionary of arrays: give {{'forget': outputs, 'test': outputs}}, or a "
                                 "list of such for several models")
            for split in ("forget", "test"):
                if split not in model:
                    raise ValueError(f"{name} has no '{split}': give outputs on forget and on test")
            evidence.add(role, number, **model)
    found = audit(evidence, ["holdout_gap.probability"], seed=seed)
    verdict = found.verdict("method")
    gaps = {}
    for row in found.results["results"]:
        role = row["subject"]["role"]
        if row["metric"] == "holdout_gap.probability" and row["control"] != "constant":
            gaps.setdefault("method" if role == "unlearned" else role, row["value"])
    return HoldoutGap(verdict.share_left, verdict.share_interval, verdict.word, verdict.sentence, gaps)


def logits_to_confidence(logits, labels):
    """ln(p / (1 - p)) of the true class, [n], from logits [n, C] without rounding p to 1."""
    logits, labels = _logits(logits, "logits"), _labels(labels, len(as_numpy(logits)))
    if labels.size and (labels.min() < 0 or labels.max() >= logits.shape[1]):
        raise ValueError(f"labels go from {labels.min()} to {labels.max()} and logits have {logits.shape[1]} columns: "
                         "labels are numbers of columns, from 0")
    own = logits[np.arange(len(logits)), labels]
    others = np.where(np.arange(logits.shape[1]) == labels[:, None], -np.inf, logits)
    top = others.max(axis=1)
    return own - (top + np.log(np.exp(others - top[:, None]).sum(axis=1)))


def lira(target, shadows, labels, *, original=None):
    """LiRA from logits: the membership score of each example, higher is more like a member.

    ``target`` [n, C] is the model in question; ``shadows`` [k, n, C] are k models that never saw these examples.
    Offline: the normal distribution function of the target's log-odds under the shadows. With ``original`` [n, C],
    a model that saw them, the online attack with one IN model (docs/metrics/iam.md).
    """
    shadows = _shadows(shadows, target)
    moments = core().metrics.shadow_moments(np.stack([logits_to_confidence(one, labels) for one in shadows]))
    confidence = logits_to_confidence(target, labels)
    if original is None:
        return core().metrics.lira_offline(confidence, moments)
    return core().metrics.lira_online(confidence, logits_to_confidence(original, labels), moments)


def iam(target, shadows, labels, *, original, levels=100):
    """IAM from logits: where each example stands between shadows that never saw it (0) and the original (1).

    ``target`` and ``original`` are [n, C], ``shadows`` [k, n, C]; scores are in [0, 1] (docs/metrics/iam.md).
    """
    shadows = _shadows(shadows, target)
    responses = [core().metrics.iam_responses(_probability(one, labels)) for one in shadows]
    given = [core().metrics.iam_responses(_probability(one, labels)) for one in (target, original)]
    return core().metrics.iam_scores(given[0], core().metrics.shadow_moments(np.stack(responses)), given[1],
                                     levels=levels)


def rmia(target, shadows, labels, *, population, population_shadows, population_labels, a=0.3, gamma=1.0,
         signal="softmax", temperature=1.0):
    """RMIA (offline) from logits: the share of population examples that each example's likelihood ratio beats.

    ``target`` [n, C], ``shadows`` [k, n, C] as in ``lira``; ``population`` [z, C] and ``population_shadows`` [k, z, C]
    are the same models on examples that nobody was trained on. ``a`` corrects for the missing IN models
    (docs/metrics/attacks.md).
    """
    values = core().metrics

    def ratios(logits, models, classes):
        models, classes = _shadows(models, logits), _labels(classes, len(as_numpy(logits)))
        said = [values.rmia_signals(one, classes, signal=signal, temperature=temperature) for one in (logits, *models)]
        return values.likelihood_ratios(said[0], values.offline_reference(values.mean_signals(np.stack(said[1:])), a))

    return values.rmia_scores(ratios(_logits(target, "target"), shadows, labels),
                              ratios(_logits(population, "population"), population_shadows, population_labels), gamma)


def _logits(value, name):
    array = np.asarray(as_numpy(value), np.float64)
    if array.ndim != 2 or array.shape[1] < 2:
        raise ValueError(f"{name} has shape {array.shape}: give logits [examples, classes] with two classes or more")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinite values: export the logits as float32")
    return array


def _labels(value, rows):
    labels = as_numpy(value)
    if labels.ndim != 1 or labels.dtype.kind not in "iub" or len(labels) != rows:
        raise ValueError(f"labels have shape {labels.shape} and type {labels.dtype}: give {rows} whole numbers, one per "
                         "example")
    return labels.astype(np.int64)


def _shadows(value, target):
    array = np.asarray(as_numpy(value), np.float64)
    if array.ndim != 3 or array.shape[1:] != as_numpy(target).shape:
        raise ValueError(f"shadows have shape {array.shape}: give [models, examples, classes] with the examples and classes "
                         f"of the target, {as_numpy(target).shape}")
    return array


def _probability(logits, labels):
    return 1 / (1 + np.exp(-logits_to_confidence(logits, labels)))
