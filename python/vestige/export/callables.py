"""Anything that answers about rows: scikit-learn estimators, JAX and Keras functions, callables."""

from __future__ import annotations

import numpy as np

from vestige._collected import Collected
from vestige._numpy import as_numpy
from vestige.export import _rows
from vestige.export._progress import Progress


def collect_callable(model, data, *, ids=None, classes=None, batch_size=4096, dtype="float32",
                     check=True, digests=True, progress=True):
    """Asks an estimator with ``predict_proba``, or a function, about (inputs, labels).

    Labels may be anything that the estimator knows as a class; they become the numbers of its
    columns. ``classes`` lists all classes where an estimator has not seen them all (retrained without
    the forgotten class): the columns that it lacks hold the probability 0. For functions labels are
    class numbers already.
    """
    kind = _rows.float_type(dtype)
    try:
        inputs, labels = data
    except (TypeError, ValueError):
        raise ValueError("give the rows as (inputs, labels)") from None
    rows = inputs.shape[0] if hasattr(inputs, "shape") else len(inputs)
    if rows == 0:
        raise ValueError("the data hold no rows: nothing was collected")
    answer, known = _answering(model)
    shown = Progress("collect", rows, progress)
    parts = []
    for first in range(0, rows, batch_size):
        parts.append(_array(answer(_slice(inputs, first, first + batch_size))))
        shown.show(min(rows, first + batch_size))
    shown.end()
    if check:
        again = _array(answer(_slice(inputs, 0, batch_size)))
        if np.isfinite(parts[0]).all() and not _rows.same_answer(parts[0], again):
            raise ValueError("the model answers differently when it is asked again about the same "
                             "rows: switch dropout or sampling off")
    outputs = np.concatenate(parts)
    if len(outputs) != rows:
        raise ValueError(f"the model gave {len(outputs)} rows of outputs for {rows} rows of inputs")
    outputs = _rows.checked_outputs(outputs, kind)
    if known is not None:
        outputs, labels = _columns(outputs, labels, known, classes)
    labels = _rows.checked_labels(labels, rows)
    _rows.check_classes(labels, outputs.shape[1])
    if ids is not None:
        ids = _rows.checked_ids(ids, rows)
    return Collected(outputs, labels, ids, {}, _digests(inputs) if digests else None)


def _answering(model):
    """What to call, and the classes of its columns where it says them."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba, np.asarray(getattr(model, "classes_", None))
    if hasattr(model, "decision_function"):
        raise ValueError(f"{type(model).__name__} has no predict_proba: fit it with probability=True, "
                         "or wrap it in CalibratedClassifierCV")
    if not callable(model):
        raise ValueError(f"{type(model).__name__} has no predict_proba and cannot be called: give an "
                         "estimator or a function from inputs to outputs [rows, classes]")
    return model, None


def _array(answer):
    array = as_numpy(answer)
    return array[:, None] if array.ndim == 1 else array


def _slice(inputs, first, last):
    return inputs.iloc[first:last] if hasattr(inputs, "iloc") else inputs[first:last]


def _columns(outputs, labels, known, classes):
    """Outputs with a column for every class, and labels as numbers of columns."""
    if known.ndim != 1:
        return outputs, labels
    if len(known) != outputs.shape[1]:
        raise ValueError(f"predict_proba gives {outputs.shape[1]} columns for {len(known)} classes")
    everything = list(known.tolist() if classes is None else np.asarray(classes).tolist())
    place = {value: column for column, value in enumerate(everything)}
    missing = [value for value in known.tolist() if value not in place]
    if missing:
        raise ValueError(f"classes lack {missing[0]!r}, which the estimator knows: list all classes")
    wide = np.zeros((len(outputs), len(everything)), outputs.dtype)
    wide[:, [place[value] for value in known.tolist()]] = outputs
    values = np.asarray(labels).tolist()
    for row, value in enumerate(values):
        if value not in place:
            raise ValueError(f"label {value!r} of row {row} is no class of the estimator "
                             f"({', '.join(map(repr, everything[:5]))}, ...): give classes= with all of "
                             "them if it was trained without some")
    return wide, np.array([place[value] for value in values], dtype=np.int64)


def _digests(inputs):
    try:
        array = as_numpy(inputs.to_numpy() if hasattr(inputs, "to_numpy") else inputs)
    except (ValueError, TypeError):
        return None
    return None if array.ndim == 0 or array.dtype == object else _rows.row_digests(array)
