"""SDE with a kernel, a divergence and reference sets that are the caller's."""

from __future__ import annotations

import dataclasses

import numpy as np

from vestige._compiled import core
from vestige._framework import asked
from vestige._numpy import as_numpy

_SPLITS = ("forget", "retain", "test")
_KERNELS = ("rbf", "laplace", "linear")


@dataclasses.dataclass
class SdeRate:
    """What ``sde_framework`` gives."""

    otr: float  #: share of forget sets judged out of training, the mean over pairs; nan where too few pairs pass
    interval: tuple  #: (lower, upper), central 95 % over the pairs that pass
    passed: int  #: pairs whose retain set depends more than their test set (U test, p < 0.01)
    per_pair: np.ndarray  #: [pairs] the share by each pair; nan where it does not pass
    h: dict  #: {"forget", "retain", "test"}: H of every set over shuffles, [sets, shuffles]


def sde_framework(*, forget, retain, test, kernel="rbf", divergence="jsd", sigma=None, size=None, sets=100, pairs=20,
                  forget_sets=None, retain_sets=None, test_sets=None, shuffles=200, seed=1):
    """The out-of-training rate of one model's forget set by split-half dependence (docs/metrics/sde.md).

    ``forget``, ``retain`` and ``test`` are activations [examples, columns] of one layer of one model; retain and test are
    the references: examples that it was trained on, and that it never saw. ``kernel`` is "rbf", "laplace", "linear", or a
    function of two arrays of rows, (x [n, d], y [m, d]) -> [n, m], as those of sklearn.metrics.pairwise; it is asked about
    each half of each set with itself. ``sigma`` is the bandwidth of the named ones, by default the root of the columns.
    ``divergence`` is "jsd", "kl", "wasserstein", or a function of two samples of H, (target, reference) -> 0 or more.
    ``forget_sets``, ``retain_sets`` and ``test_sets`` are lists of row numbers, the first half of each against the second;
    retain and test sets come in pairs. Without them ``sets`` forget sets and ``pairs`` pairs of ``size`` rows are drawn, the
    same as those of an audit with this seed. Without functions and sets of your own the rate is ``sde.otr``.
    """
    rows = {name: _rows(values, name) for name, values in zip(_SPLITS, (forget, retain, test))}
    for name in ("retain", "test"):
        if rows[name].shape[1] != rows["forget"].shape[1]:
            raise ValueError(f"{name} has {rows[name].shape[1]} columns and forget {rows['forget'].shape[1]}: give the same "
                             "layer of the same model")
    if callable(kernel) and sigma is not None:
        raise ValueError("sigma is for the kernels that have a name: leave it out and put it into your function")
    if not callable(kernel) and kernel not in _KERNELS:
        raise ValueError(f"kernel is {kernel!r}: give {', '.join(map(repr, _KERNELS))}, or a function of two arrays of rows")
    if sigma is not None and (kernel == "linear" or not (np.isscalar(sigma) and np.isfinite(sigma) and sigma > 0)):
        raise ValueError(f"sigma is {sigma!r}: give a number above 0, and none for the linear kernel")
    size = _size(size, rows)
    chosen = {}
    for name, own, count in zip(_SPLITS, (forget_sets, retain_sets, test_sets), (sets, pairs, pairs)):
        if own is None:
            chosen[name] = core().metrics.draw_sets(len(rows[name]), size, count, seed=seed, purpose=f"sde.set.{name}")
        else:
            chosen[name] = _own_sets(own, name, len(rows[name]))
    if len(chosen["retain"]) != len(chosen["test"]):
        raise ValueError(f"there are {len(chosen['retain'])} retain sets and {len(chosen['test'])} test sets: they come in "
                         "pairs")
    if callable(divergence):
        compared = lambda target, reference: asked(given, "divergence", "", target, reference)  # noqa: E731
        given, divergence = divergence, compared
    found = {name: _dependence(rows[name], chosen[name], name, kernel, sigma, shuffles, seed) for name in _SPLITS}
    rate = core().metrics.out_of_training_rate(core().metrics.judge_by_divergence(
        found["forget"], found["retain"], found["test"], divergence))
    values = {name: np.stack([one.values for one in of]) for name, of in found.items()}
    if rate.inconclusive() or rate.ties == rate.verdicts:
        return SdeRate(np.nan, (np.nan, np.nan), rate.passed, rate.per_pair, values)
    return SdeRate(rate.mean, (rate.lower, rate.upper), rate.passed, rate.per_pair, values)


def _rows(values, name):
    array = np.ascontiguousarray(as_numpy(values), np.float64)
    if array.ndim != 2 or len(array) < 4 or not array.shape[1] or not np.isfinite(array).all():
        raise ValueError(f"{name} has shape {array.shape}: give finite activations [examples, columns] of four examples or "
                         "more")
    return array


def _size(size, rows):
    """As audits choose it: the largest of 2000, 1000 and 400 that is at most half of the forget examples."""
    forget, references = len(rows["forget"]), min(len(rows["retain"]), len(rows["test"]))
    if size is None:
        size = min(next((usual for usual in (2000, 1000, 400) if 2 * usual <= forget), forget // 2), references)
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 4 <= size <= min(forget, references):
        raise ValueError(f"size is {size!r}: give a whole number from 4 to {min(forget, references)}, the rows of the "
                         "smallest split")
    return int(size) // 2 * 2


def _own_sets(sets, name, rows):
    made = [np.asarray(as_numpy(one)) for one in sets]
    if not made:
        raise ValueError(f"{name}_sets is empty: give lists of row numbers, or None to draw them")
    for place, one in enumerate(made):
        if one.ndim != 1 or len(one) < 4 or one.dtype.kind not in "iu":
            raise ValueError(f"{name}_sets[{place}] has shape {one.shape} and type {one.dtype}: give four row numbers or more")
        if one.min() < 0 or one.max() >= rows:
            raise ValueError(f"{name}_sets[{place}] names row {one.min() if one.min() < 0 else one.max()}: {name} has the rows "
                             f"0 to {rows - 1}")
        if len(np.unique(one)) != len(one):
            raise ValueError(f"{name}_sets[{place}] names a row twice: give every row once")
    return made


def _dependence(rows, sets, name, kernel, sigma, shuffles, seed):
    purpose = f"sde.shuffle.{name}"
    if not callable(kernel):
        return core().metrics.split_half_dependence(rows, sets, sigma=0 if sigma is None else sigma, shuffles=shuffles,
                                                    seed=seed, kernel=kernel, purpose=purpose)
    found = []
    for index, one in enumerate(sets):
        half = len(one) // 2
        halves = [_kernel(kernel, rows[part], name, index) for part in (one[:half], one[half:2 * half])]
        found.append(core().metrics.kernel_dependence(*halves, shuffles=shuffles, seed=seed, purpose=purpose, index=index))
    return found


def _kernel(kernel, rows, name, index):
    rows.flags.writeable = False
    where = f"set {index} of {name}"
    values = asked(kernel, "kernel", f" on {where}", rows, rows)
    try:
        values = np.ascontiguousarray(as_numpy(values), np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"kernel returned a value of type {type(values).__name__} on {where}: return an array [n, m] for rows "
                         "x [n, d] and y [m, d]") from error
    if values.shape != (len(rows), len(rows)):
        raise ValueError(f"kernel returned an array of shape {values.shape} on {where}: return [{len(rows)}, {len(rows)}] for "
                         f"{len(rows)} rows with themselves")
    if not np.isfinite(values).all():
        raise ValueError(f"kernel returned NaN or infinite values on {where}: return finite numbers")
    if not np.allclose(values, values.T, rtol=1e-6, atol=1e-9):
        raise ValueError(f"kernel is not symmetric on {where}: k(x, y) must be k(y, x)")
    return values
