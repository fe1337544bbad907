"""Checks that every way of collecting shares: outputs, labels and ids of rows."""

from __future__ import annotations

import hashlib

import numpy as np

from vestige._numpy import as_numpy


def float_type(dtype):
    """float16, float32 or float64, by name or as numpy's or torch's type."""
    name = str(dtype).removeprefix("torch.") if not isinstance(dtype, type) else dtype.__name__
    if name not in ("float16", "float32", "float64"):
        raise ValueError(f"dtype '{dtype}' is unknown: give float16, float32 or float64")
    return np.dtype(name)


#: What is no classification has one loss per example instead of outputs.
LOSSES = ("regression, segmentation and detection have no classes: give one loss per example instead, "
          "evidence.add(role, name, losses={split: losses})")


def checked_outputs(outputs, dtype, what="outputs"):
    """[n, C] in the type asked for, all finite."""
    if outputs.ndim == 1:
        outputs = outputs[:, None]
    if outputs.ndim != 2:
        raise ValueError(f"{what} have shape {outputs.shape}: a classifier gives [rows, classes]; for "
                         f"language models use collect_causal; {LOSSES}")
    bad = np.flatnonzero(~np.isfinite(outputs).all(axis=1))
    if len(bad):
        raise ValueError(f"{what} of row {bad[0]} are NaN or infinite ({len(bad)} of {len(outputs)} "
                         "rows): the model diverged or the row is broken; nothing was collected")
    with np.errstate(over="ignore"):
        narrow = outputs.astype(dtype)
    if not np.isfinite(narrow).all():
        raise ValueError(f"{what} do not fit into {dtype.name} (largest: {np.abs(outputs).max():g}): "
                         "collect as float32")
    return narrow


def checked_labels(labels, rows, what="labels"):
    """Class numbers, [n]."""
    if labels is None:
        raise ValueError(f"{what} are None: give one class number per row, as part of the batches or as an array; {LOSSES}")
    labels = as_numpy(labels)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim == 2 and labels.size and not (np.isin(labels, (0, 1)).all() and (labels.sum(axis=1) == 1).all()):
        if np.isin(labels, (0, 1)).all():
            raise ValueError(f"{what} have shape {labels.shape} and rows with several labels or none: multi-label models "
                             "have no single class; give one loss per example instead, "
                             "evidence.add(role, name, losses={split: losses})")
        raise ValueError(f"{what} have shape {labels.shape} and are no class numbers: {LOSSES}")
    if labels.ndim > 2:
        raise ValueError(f"{what} have shape {labels.shape}: {LOSSES}")
    if labels.ndim != 1:
        raise ValueError(f"{what} have shape {labels.shape}: give one class number per row; one-hot "
                         "labels become numbers by argmax(axis=1)")
    if len(labels) != rows:
        raise ValueError(f"{what} have {len(labels)} rows and outputs {rows}: both must have the same")
    if labels.dtype.kind not in "iub":
        whole = labels.dtype.kind == "f" and np.isfinite(labels).all() and (labels % 1 == 0).all()
        if not whole:
            raise ValueError(f"{what} have type {labels.dtype} and are no class numbers: give whole "
                             f"numbers from 0, in the order of the outputs' columns; {LOSSES}")
    return labels.astype(np.int64)


def check_classes(labels, columns):
    """Refuses labels that are no column of outputs; one column stands for classes 0 and 1."""
    classes = max(columns, 2)
    bad = np.flatnonzero((labels < 0) | (labels >= classes))
    if not len(bad):
        return
    if columns == 1 and np.isin(labels, (-1, 1)).all():
        raise ValueError("labels are -1 and 1, and the model gives one logit: its classes are 0 and 1; give "
                         "(labels + 1) // 2")
    one = "one logit, for classes 0 and 1" if columns == 1 else f"{columns} classes, 0 to {columns - 1}"
    raise ValueError(f"label {labels[bad[0]]} of row {bad[0]} is no column of outputs: they have {one}")


def check_model(model):
    """Refuses what is no model but what a model is kept as."""
    if isinstance(model, (str, bytes)) or hasattr(model, "__fspath__"):
        raise ValueError(f"the model is the path {str(model)!r}: load it first, for example by torch.load, and give the "
                         "model itself")
    if hasattr(model, "items") and not callable(model):
        raise ValueError("the model is a dictionary, as a state_dict is: build the network, load the dictionary with "
                         "network.load_state_dict(...), and give the network")


def checked_ids(ids, rows):
    """One identity per row, none of them twice."""
    ids = as_numpy(ids)
    if ids.shape != (rows,):
        raise ValueError(f"ids have shape {ids.shape}: give one for each of the {rows} rows")
    if ids.dtype.kind not in "iuSU":
        raise ValueError(f"ids have type {ids.dtype}: give whole numbers or texts")
    values, counts = np.unique(ids, return_counts=True)
    if len(values) != rows:
        raise ValueError(f"the id {values[counts > 1][0]} stands twice: every row needs its own")
    return ids


def row_digests(batch):
    """Eight bytes per row of an array [b, ...]."""
    rows = np.ascontiguousarray(batch)
    return np.array([int.from_bytes(hashlib.blake2b(row.tobytes(), digest_size=8).digest(), "little")
                     for row in rows], dtype=np.uint64)


def same_answer(first, second):
    """Whether two answers to the same rows agree up to what parallel sums differ by."""
    scale = np.abs(first).max() if first.size else 0
    return first.shape == second.shape and np.allclose(first, second, rtol=1e-3,
                                                       atol=1e-4 * max(scale, 1e-6))
