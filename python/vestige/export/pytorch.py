"""PyTorch classifiers: one pass gives outputs, labels, ids and activations, which cannot part."""

from __future__ import annotations

import contextlib
import difflib

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler

from vestige._collected import Collected
from vestige._numpy import as_numpy
from vestige.export import _rows
from vestige.export._modes import evaluating
from vestige.export._progress import Progress


def collect_torch(model, data, *, inputs=0, labels=1, ids=None, layer=None, batch_size=256,
                  workers=0, device=None, dtype="float32", check=True, digests=True, progress=True):
    """Runs a model over a Dataset, a DataLoader or any iterable of batches.

    ``inputs``, ``labels`` and ``ids`` say where these are in a batch: a position, a key, or a
    function of the batch; ``labels`` may also be an array [n]. ``layer`` is a name or names of
    ``model.named_modules()``. Inputs go to ``device`` (default: where the model's parameters are). The
    model answers in eval mode and is left as it was. A loader that shuffles is refused unless the
    batches carry ids; rows are then put in the order of their ids. ``check`` asks about the first
    batch and some rows a second time, so that dropout that stays on and random augmentation are found.
    """
    kind = _rows.float_type(dtype)
    loader, shuffled = _loader(data, batch_size, workers)
    if shuffled and ids is None:
        raise ValueError("this loader shuffles, so that rows have another order in every pass: give "
                         "shuffle=False, or say where a batch has its row ids (ids=2)")
    if labels is None:
        _rows.checked_labels(None, 0)
    given = None if isinstance(labels, (int, str)) or callable(labels) else as_numpy(labels)
    if given is not None and shuffled:
        raise ValueError("labels were given as an array, but this loader shuffles: give shuffle=False")
    if device is None:
        device = _device(model)
    gathered = _Gathered()
    counted = isinstance(loader, DataLoader) and hasattr(loader.dataset, "__len__")
    total = len(loader.dataset) if counted else None
    shown = Progress("collect", total, progress)
    with evaluating(model), torch.no_grad(), _hooks(model, layer) as captured:
        for batch in loader:
            _one_batch(gathered, model, batch, captured, device, digests,
                       (inputs, None if given is not None else labels, ids))
            shown.show(gathered.rows)
        shown.end()
        if gathered.rows == 0:
            raise ValueError("the data hold no rows: nothing was collected")
        if check:
            _check_answers(gathered, model, captured, device)
            _check_rows(gathered, loader, shuffled, inputs)
    return gathered.finish(kind, given, shuffled)


class _Gathered:
    """Batches so far."""

    def __init__(self):
        self.rows = 0
        self.outputs, self.labels, self.ids, self.digests = [], [], [], []
        self.activations = {}
        self.first = None  # inputs of the first batch, to ask again
        self.complete = True  # every batch could be digested

    def finish(self, kind, given, shuffled):
        outputs = _rows.checked_outputs(np.concatenate(self.outputs), kind)
        labels = np.concatenate(self.labels) if self.labels else given
        labels = _rows.checked_labels(labels, self.rows)
        _rows.check_classes(labels, outputs.shape[1])
        ids = _rows.checked_ids(np.concatenate(self.ids), self.rows) if self.ids else None
        activations = {name: _rows.checked_outputs(np.concatenate(parts), kind, f"activations of {name}")
                       for name, parts in self.activations.items()}
        digests = np.concatenate(self.digests) if self.complete and self.digests else None
        order = np.argsort(ids, kind="stable") if shuffled else slice(None)
        return Collected(
            outputs[order], labels[order], None if ids is None else ids[order],
            {name: array[order] for name, array in activations.items()},
            None if digests is None else digests[order])


def _one_batch(gathered, model, batch, captured, device, digests, places):
    inputs, labels, ids = places
    rows = _pick(batch, inputs, "inputs")
    outputs = _answer(model, rows, captured, device)
    count = len(outputs)
    if labels is not None:
        found = as_numpy(_pick(batch, labels, "labels"))
        gathered.labels.append(_rows.checked_labels(found, count, "labels of a batch"))
    if ids is not None:
        found = _pick(batch, ids, "ids")
        gathered.ids.append(np.asarray(found) if isinstance(found, (list, tuple)) else as_numpy(found))
    for name, values in captured.items():
        if len(values) != count:
            raise ValueError(f"layer {name} gave {len(values)} rows for {count} rows of outputs: "
                             "choose a layer that keeps rows apart")
        gathered.activations.setdefault(name, []).append(values)
    if digests and isinstance(rows, torch.Tensor):
        gathered.digests.append(_rows.row_digests(as_numpy(rows)))
    else:
        gathered.complete = False
    if gathered.first is None:
        gathered.first = (rows, outputs)
    gathered.outputs.append(outputs)
    gathered.rows += count


def _answer(model, rows, captured, device):
    captured.clear()
    rows = _to(rows, device)
    try:
        if isinstance(rows, dict) or hasattr(rows, "keys"):
            answer = model(**rows)
        elif isinstance(rows, (list, tuple)):
            answer = model(*rows)
        else:
            answer = model(rows)
    except RuntimeError as error:
        if isinstance(rows, torch.Tensor) and not rows.is_floating_point() and any(
                kind in str(error) for kind in ("dtype", "Byte", "Char", "Short", "Int", "Long", "unsigned char")):
            raise ValueError(f"inputs are {str(rows.dtype).removeprefix('torch.')} and the model wants floating numbers: "
                             "give the transforms of evaluation, for example inputs.float() / 255") from error
        raise
    answer = getattr(answer, "logits", answer)
    if isinstance(answer, (list, tuple)) and answer:
        if isinstance(answer[0], torch.Tensor) and answer[0].ndim == 0:
            raise ValueError("the model answers with a tuple whose first part is a single number, as (loss, logits) is: wrap "
                             "it in a module that gives the logits [rows, classes] alone")
        answer = answer[0]
    if not isinstance(answer, torch.Tensor):
        raise ValueError(f"the model answers with {type(answer).__name__}: wrap it in a module that "
                         "gives logits [rows, classes]")
    return as_numpy(answer.float() if answer.dtype in (torch.float16, torch.bfloat16) else answer)


def _loader(data, batch_size, workers):
    """The batches, and whether their order is random."""
    if isinstance(data, DataLoader):
        if isinstance(data.dataset, IterableDataset):
            return data, False
        if data.drop_last and len(data.dataset) % (data.batch_size or 1):
            raise ValueError(f"this loader drops its last batch, {len(data.dataset) % data.batch_size} "
                             "rows: give drop_last=False")
        sampler = data.sampler
        if type(data.batch_sampler).__name__ not in ("BatchSampler", "NoneType"):
            sampler = data.batch_sampler
        if isinstance(sampler, RandomSampler) and sampler.replacement:
            raise ValueError("this loader draws rows with replacement: give shuffle=False")
        return data, not isinstance(sampler, SequentialSampler)
    if isinstance(data, Dataset) or (hasattr(data, "__getitem__") and hasattr(data, "__len__")
                                     and not isinstance(data, (list, tuple))):
        return DataLoader(data, batch_size=batch_size, shuffle=False, num_workers=workers), False
    if not hasattr(data, "__iter__"):
        raise ValueError(f"{type(data).__name__} holds no rows: give a Dataset, a DataLoader or "
                         "an iterable of batches")
    return data, False


def _pick(batch, where, what):
    """The part of a batch by position, key or function."""
    if callable(where):
        return where(batch)
    if isinstance(batch, torch.Tensor):
        if where == 0 and what == "inputs":
            return batch
        raise ValueError(f"the data give inputs alone, without {what}: give a Dataset of "
                         f"(input, label), or {what}= an array")
    try:
        return batch[where]
    except (IndexError, KeyError, TypeError):
        there = (list(batch.keys()) if hasattr(batch, "keys")
                 else f"{len(batch)} parts" if hasattr(batch, "__len__") else type(batch).__name__)
        raise ValueError(f"a batch has no {what} at {where!r} (it has {there}): say where they are, "
                         f"{what}=position, key or function") from None


def _to(value, device):
    if hasattr(value, "to"):
        return value.to(device)
    if isinstance(value, dict):
        return {key: _to(item, device) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_to(item, device) for item in value)
    return value


def _device(model):
    for tensor in list(model.parameters()) + list(model.buffers()):
        return tensor.device
    return torch.device("cpu")



@contextlib.contextmanager
def _hooks(model, layer):
    """What the named layers gave in the last call, flattened to [rows, d]."""
    names = [] if layer is None else [layer] if isinstance(layer, str) else list(layer)
    modules = dict(model.named_modules())
    captured, handles = {}, []
    for name in names:
        if name not in modules or not name:
            near = difflib.get_close_matches(name, [key for key in modules if key], 1)
            raise ValueError(f"the model has no layer '{name}'"
                             + (f": did you mean '{near[0]}'?" if near else
                                ": model.named_modules() lists them"))

        def keep(_module, _inputs, output, name=name):
            if name in captured:
                raise ValueError(f"layer {name} is used twice in one pass: choose one that is used once")
            output = output[0] if isinstance(output, (list, tuple)) else output
            captured[name] = as_numpy(output.float()).reshape(len(output), -1)

        handles.append(modules[name].register_forward_hook(keep))
    try:
        yield captured
    finally:
        for handle in handles:
            handle.remove()


def _check_answers(gathered, model, captured, device):
    rows, before = gathered.first
    again = _answer(model, rows, captured, device)
    if np.isfinite(before).all() and not _rows.same_answer(before, again):
        raise ValueError("the model answers differently when it is asked again about the same rows: "
                         "dropout or another random layer stays on in eval mode; switch it off")


def _check_rows(gathered, loader, shuffled, inputs):
    """Some rows of a map-style data set are read a second time."""
    if not isinstance(loader, DataLoader) or isinstance(loader.dataset, IterableDataset):
        return
    if shuffled or not gathered.complete or loader.collate_fn is None or loader.batch_size is None:
        return
    digests = np.concatenate(gathered.digests)
    if len(digests) != len(loader.dataset):
        return
    for row in sorted({0, gathered.rows // 2, gathered.rows - 1}):
        batch = loader.collate_fn([loader.dataset[row]])
        if _rows.row_digests(as_numpy(_pick(batch, inputs, "inputs")))[0] != digests[row]:
            raise ValueError(f"row {row} is another one when it is read again: random augmentation is "
                             "on; collect with the transforms of evaluation")
