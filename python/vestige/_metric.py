"""Metrics of the user: a Python function that audits treat like a metric of Vestige."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import textwrap
import traceback

import numpy as np

from vestige._compiled import core
from vestige._evidence import SPLITS, _nearest

_DIRECTIONS = ("lower", "higher", "match")
_WHO = ("forget", "retain", "test")


class Split:
    """What one model said of one split; arrays are read-only."""

    def __init__(self, name, kind, parts):
        self.name = name  #: "forget"
        self.kind = kind  #: what outputs are: "logits", "probabilities" or "log_probabilities"
        self.outputs = parts.get("outputs")  #: [n, C] as exported; None where only losses are known
        self.labels = parts.get("labels")  #: [n] columns of outputs; None without labels
        self.losses = parts.get("losses")  #: [n]; None without losses

    def __len__(self):
        return len(self.losses if self.outputs is None else self.outputs)

    def __repr__(self):
        shape = None if self.outputs is None else self.outputs.shape
        return f"<{self.name}: {self.kind} {shape}>"

    @property
    def log_probabilities(self):
        """[n, C] float64, whatever was exported; one logit stands for two classes."""
        if self.outputs is None:
            raise ValueError(f"{self.name} has losses and no outputs: use {self.name}.losses")
        values = np.asarray(self.outputs, np.float64)
        if self.kind != "logits":
            with np.errstate(divide="ignore"):
                return np.log(values) if self.kind == "probabilities" else values
        if values.shape[1] == 1:
            values = np.concatenate([np.zeros_like(values), values], axis=1)
        shifted = values - values.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))

    @property
    def probabilities(self):
        """[n, C] float64; rows sum to 1."""
        if self.kind == "probabilities" and self.outputs is not None:
            return np.asarray(self.outputs, np.float64)
        return np.exp(self.log_probabilities)

    @property
    def true_log_probability(self):
        """[n] ln of the probability of the label."""
        return self.log_probabilities[np.arange(len(self)), self.labels]

    @property
    def true_probability(self):
        """[n] probability of the label."""
        return np.exp(self.true_log_probability)

    @property
    def right(self):
        """[n] 1.0 where the largest output is the label's."""
        return (self.log_probabilities.argmax(axis=1) == self.labels).astype(np.float64)


def metric(id, *, direction="match", needs=None, ideal=None, name=None, what=None):
    """A decorator: the function becomes a metric of all later audits of this process.

    The function takes one ``Split`` per split that it needs (``needs``, by default the names of its
    parameters) of one model, and returns one number, or one number per example of the first split,
    whose mean is the metric and which gives it an interval over examples. ``direction`` says which way
    is good: "lower", "higher", or "match" (the retrained models' value); ``ideal`` the best value if there
    is one. Audits measure it on every method and control, and say whether it tells the original from
    retrained models and what a constant predictor gets. Results mark it as the user's, with the SHA-256
    of its source. An error inside it ends the measurement of that model alone. Defining it again
    replaces it; ``vestige.remove_metric(id)`` takes it away. The function itself stays as it was.
    """
    if callable(id):
        raise ValueError('metric needs an id: write @vestige.metric("margin_gap")')
    if not isinstance(id, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", id):
        raise ValueError(f"the id {id!r} is no metric id: give lower-case letters, digits and underscores, "
                         "beginning with a letter, for example 'margin_gap'")
    if direction not in _DIRECTIONS:
        raise ValueError(f"direction is {direction!r}: give 'lower', 'higher' or 'match'")
    if ideal is not None and (isinstance(ideal, bool) or not isinstance(ideal, (int, float))):
        raise ValueError(f"ideal is {ideal!r}: give a number, or None")
    for key, value in (("name", name), ("what", what)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{key} is {value!r}: give a text, or None")

    def register(function):
        if not callable(function):
            raise ValueError(f"{function!r} is no function: put @vestige.metric({id!r}) above a function")
        splits = _needs(function, needs)
        label = getattr(function, "__qualname__", type(function).__name__).replace("<locals>.", "")
        text = inspect.getdoc(function) or ""
        phrase = what or (text.split("\n")[0].strip().rstrip(".") or f"what {label} returns")
        core().add_metric(id, direction=direction, ideal=float("nan") if ideal is None else float(ideal),
                          name=name or id.replace("_", " "), what=phrase, function=label,
                          source=_source_hash(function), needs=splits, call=_calling(function, splits))
        return function

    return register


def remove_metric(id):
    """Takes a metric of the user out of later audits."""
    core().remove_metric(str(id))


def _needs(function, needs):
    """Names of splits, as many as the function takes."""
    try:
        parameters = [part for part in inspect.signature(function).parameters.values()
                      if part.kind in (part.POSITIONAL_ONLY, part.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        parameters = None
    if needs is None:
        if not parameters:
            raise ValueError("needs is missing: name the splits that the function takes, needs=['forget', 'test']")
        needs = [part.name for part in parameters if part.default is part.empty]
    needs = [needs] if isinstance(needs, str) else [str(split) for split in needs]
    for split in needs:
        if split not in SPLITS:
            raise ValueError(f"the metric needs the split '{split}', which is unknown{_nearest(split, SPLITS)}: give "
                             f"splits such as {', '.join(_WHO)}")
    if not needs or len(set(needs)) != len(needs):
        raise ValueError("needs names no split, or one twice: give for example needs=['forget', 'test']")
    if parameters is not None:
        least = sum(part.default is part.empty for part in parameters)
        if not least <= len(needs) <= len(parameters):
            raise ValueError(f"the function takes {len(parameters)} arguments and needs names {len(needs)} splits: "
                             "write one parameter for each split")
    return needs


def _source_hash(function):
    """SHA-256 of the source text; of the compiled code where there is no text."""
    try:
        data = textwrap.dedent(inspect.getsource(function)).encode()
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        data = repr(function).encode() if code is None else code.co_code + repr(code.co_consts).encode()
    return hashlib.sha256(data).hexdigest()


def _calling(function, splits):
    """What the compiled part calls: (model, kind, arrays by split) -> (what came out, ...)."""
    def call(model, kind, arrays):
        # Copies: torch.from_numpy writes into arrays that are read-only, which would change the evidence, or end the
        # process where it is a file.
        copies = {split: {part: _read_only(array) for part, array in arrays[split].items()} for split in splits}
        given = [Split(split, kind, copies[split]) for split in splits]
        try:
            answer = _answer(function(*given), len(given[0]))
        except BaseException as error:  # also SystemExit: the audit of the others goes on
            if isinstance(error, ValueError) and "read-only" in str(error):
                return ("writes",)
            return ("raised", _where(error))
        same = all(_same(copies[split][part], array) for split in splits for part, array in arrays[split].items())
        return answer if same else ("writes",)

    return call


def _read_only(array):
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy


def _same(left, right):
    """To the bit: NaN is itself."""
    if not right.flags.c_contiguous:  # every example of a constant predictor is the same row
        right = np.ascontiguousarray(right)
    return np.array_equal(left.view(np.uint8), right.view(np.uint8))


def _answer(value, examples):
    value = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    if value.dtype.kind not in "fiub":
        kinds = {"O": "no number", "U": "text", "S": "text", "c": "complex numbers"}
        return ("shape", kinds.get(value.dtype.kind, f"values of type {value.dtype}"))
    if value.ndim == 0 or value.shape == (1,) != (examples,):
        number = float(value.reshape(()))
        return ("number", number) if np.isfinite(number) else ("not_finite", 1)
    if value.shape != (examples,):
        return ("shape", f"an array of shape {value.shape}")
    values = np.ascontiguousarray(value, np.float64)
    bad = int((~np.isfinite(values)).sum())
    return ("not_finite", bad) if bad else ("terms", values)


def _where(error):
    """"ValueError: ... (plugin.py, line 3)" of the innermost line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    return f"{type(error).__name__}: {' '.join(str(error).split()) or 'without a message'}{place}"
