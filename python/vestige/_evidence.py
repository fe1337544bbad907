"""Evidence in memory or on disk: what models said, per model, split and row."""

from __future__ import annotations

import csv
import io
import json
import os

import numpy as np

from vestige import _files
from vestige._collected import Collected, TokenOutputs
from vestige._numpy import as_numpy
from vestige._toml import toml_text

ROLES = ("original", "retrained", "unlearned", "partial", "checkpoint", "shadow", "random",
         "membership", "verification", "probed")
_WITH_METHODS = ("unlearned", "partial", "checkpoint", "probed")
_ROW_PARTS = ("labels", "ids", "subjects", "subclasses", "pictures")
_SETTINGS = ("kind", "classes", "exchangeable", "token_moments", "losses", "vocabulary", "notes",
             "pairing", "removed_fraction", "membership", "seconds")


class Inspection:
    """What is wrong with evidence, and which metrics it supports."""

    def __init__(self, fields, text):
        self.fields = fields
        self.text = text

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.fields:
            raise AttributeError(f"an inspection has no '{name}': it has {', '.join(self.fields)}")
        return self.fields[name]

    def __bool__(self):
        """True if there is no error."""
        return self.fields["errors"] == 0

    def __repr__(self):
        return self.text


class Evidence:
    """Arrays by path, as docs/evidence.md lays them out; without a path it begins empty.

    Arrays in memory are kept as they are, not copied: do not change them before the audit.
    """

    def __init__(self, path=None, *, name="evidence in memory"):
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise ValueError(f"path is of type {type(path).__name__}: give a folder, a .npz or a .safetensors "
                             "file, or nothing for evidence that is built up in memory")
        self._path = None if path is None else os.fspath(path)
        self._name = name
        self._arrays = {}
        self._files = {}
        self._rows = {}  # split -> (digests of its rows, which model they were seen with)
        self._settings = {}
        if self._path is not None:
            self._source()  # refuses a path that is no evidence

    @classmethod
    def open(cls, path):
        """Evidence of a folder, a .npz or a .safetensors file."""
        return cls(path)

    # Building it up.

    def add(self, role, name=0, *, method=None, activations=None, saliency=None, members=None,
            tokens=None, losses=None, own_rows=("shadow_train",), replace=False, **splits):
        """Adds what one model said: one array [n, C] or one ``export.collect`` result per split.

        ``role`` is "original", "retrained", "shadow", ... or "unlearned/finetune";
        "probed/int8/original" or "probed/int8/unlearned/finetune" after a probe. A collected split
        brings its labels, ids and activations along; they must be those that the split has already.
        Splits in ``own_rows`` have rows of this model alone. ``activations`` is {layer: {split:
        array}}; ``saliency``, ``members`` and ``losses`` are {split: array}; ``tokens`` is {split: array or
        ``export.collect_causal`` result}. Nothing is added if something is wrong.
        """
        role, method = _role_and_method(role, method)
        folder = "/".join(part for part in (role, method, str(name)) if part)
        staged, files, rows = {}, {}, {}
        for split, value in splits.items():
            if isinstance(value, TokenOutputs):
                self._stage_tokens(staged, files, folder, split, value)
            elif isinstance(value, Collected):
                self._stage_collected(staged, rows, folder, split, value,
                                      f"{split}.{name}" if split in own_rows else split)
            else:
                staged[f"{folder}/{split}"] = _outputs(value, f"{folder}/{split}")
        for layer, by_split in (activations or {}).items():
            for split, value in by_split.items():
                staged[f"{folder}/activations/{layer}/{split}"] = as_numpy(value)
        for part, by_split in (("saliency", saliency), ("members", members), ("losses", losses)):
            for split, value in (by_split or {}).items():
                staged[f"{folder}/{part}/{split}"] = as_numpy(value)
        for split, value in (tokens or {}).items():
            if isinstance(value, TokenOutputs):
                self._stage_tokens(staged, files, folder, split, value)
            else:
                staged[f"{folder}/tokens/{split}"] = as_numpy(value)
        if not staged:
            raise ValueError(f"{folder}: nothing was given: add splits, for example forget=logits")
        self._load()
        taken = [key for key in staged if key in self._arrays and not key.startswith(_ROW_PARTS)]
        if taken and not replace:
            raise ValueError(f"{taken[0]} is there already: give the model another name, or "
                             "replace=True")
        self._arrays.update(staged)
        self._files.update(files)
        self._rows.update(rows)
        return self

    def collect(self, role, name, model, splits, *, method=None, own_rows=("shadow_train",),
                **options):
        """Collects every split from a model (``export.collect``) and adds it; all or nothing."""
        from vestige.export import collect

        found = {split: collect(model, data, **options) for split, data in splits.items()}
        return self.add(role, name, method=method, own_rows=own_rows, **found)

    def add_rows(self, split, *, labels=None, ids=None, subjects=None, subclasses=None,
                 pictures=None, text=None, continuation=None):
        """What is known of a split's rows, whichever model: labels [n], ids [n], texts, ..."""
        self._load()
        given = dict(zip(_ROW_PARTS, (labels, ids, subjects, subclasses, pictures)))
        for part, value in given.items():
            if value is not None:
                self._arrays[f"{part}/{split}"] = as_numpy(value)
        if text is not None:
            self._files[f"text/{split}.txt"] = _lines(text)
        if continuation is not None:
            self._files[f"text/{split}.continuation.txt"] = _lines(continuation)
        return self

    def settings(self, **settings):
        """What arrays cannot say, as in evidence.toml: kind, notes, exchangeable, seconds, ..."""
        for key in settings:
            if key not in _SETTINGS:
                raise ValueError(f"settings have no '{key}': they are {', '.join(_SETTINGS)}")
        self._load()
        if "evidence.toml" in self._files and not self._settings:
            raise ValueError("this evidence has an evidence.toml already: edit that file")
        self._settings.update(settings)
        self._files["evidence.toml"] = toml_text(self._settings)
        return self

    def accuracy(self, values):
        """{role or method: {split: [one accuracy per model]}} where there are no outputs."""
        self._load()
        self._files["accuracy.json"] = json.dumps(values, indent=1)
        return self

    def requests(self, requests, *, rows=None, subjects=None, dates=None):
        """Which forget rows each erasure request is about (docs/practice/requests.md).

        ``requests`` is one name per row of forget, None for rows of no request. With ``rows`` (places in
        forget, or ids where forget has ids) it is one name per row that is listed there. ``subjects`` and
        ``dates`` go along.
        """
        self._load()
        names = list(requests)
        if rows is None:
            ids = self._arrays.get("ids/forget")
            rows = range(len(names)) if ids is None else np.asarray(ids).tolist()
        columns = {"row": rows, "request": names, "subject": subjects, "date": dates}
        columns = {key: list(values) for key, values in columns.items() if values is not None}
        for key, values in columns.items():
            if len(values) != len(names):
                raise ValueError(f"there are {len(values)} {key}s and {len(names)} requests: give one each")
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(line for line in zip(*columns.values()) if line[1] is not None)
        self._files["requests.csv"] = stream.getvalue()
        return self

    # As a mapping from paths to arrays.

    def keys(self):
        """Paths of all arrays, in order: "labels/forget", "original/0/forget"."""
        return self._source().keys() if self._on_disk() else sorted(self._arrays)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, key):
        return key in self.keys()

    def __getitem__(self, key):
        if self._on_disk():
            if key not in self.keys():
                raise KeyError(key)
            return np.load(io.BytesIO(self._source().npy(key)))
        return self._arrays[key]

    def __setitem__(self, key, value):
        self._load()
        self._arrays[key] = as_numpy(value)

    def __repr__(self):
        where = self._path if self._on_disk() else self._name
        return f"<vestige.Evidence: {where}, {len(self)} arrays>"

    # Using it.

    def inspect(self, *, threads=0, memory=4):
        """Everything that an audit would trip over, and which metrics are supported."""
        from vestige._audit import check_number
        from vestige._compiled import core

        check_number("threads", threads, int)
        check_number("memory", memory, float)
        fields, text = core().inspect(self._source(), threads, memory)
        return Inspection(json.loads(fields), text)

    def save(self, path, *, force=False):
        """Writes a folder, or a .npz or .safetensors file; it appears whole or not at all."""
        self._load()
        path = os.fspath(path)
        if not self._arrays:
            raise ValueError("this evidence is empty: add what models said first")
        if path.endswith(".npz"):
            _files.write_npz(path, self._arrays, self._files, force)
        elif path.endswith(".safetensors"):
            _files.write_safetensors(path, self._arrays, self._files, force)
        else:
            _files.write_folder(path, self._arrays, self._files, force)
        return path

    # Inside.

    def _on_disk(self):
        return self._path is not None

    def _source(self):
        from vestige._compiled import core

        if self._on_disk():
            return core().Source.open(self._path)
        arrays = {key: _plain(array) for key, array in self._arrays.items()}
        return core().Source.memory(self._name, arrays, self._files)

    def _load(self):
        """Takes evidence of a file into memory, before it is changed or written again."""
        if not self._on_disk():
            return
        source = self._source()
        self._arrays = {key: np.load(io.BytesIO(source.npy(key))) for key in source.keys()}
        self._files = {name: source.read(name).decode("utf-8") for name in source.files()
                       if _files.belongs(name)}
        self._name, self._path = self._path, None

    def _stage_collected(self, staged, rows, folder, split, value, own):
        staged[f"{folder}/{split}"] = value.outputs
        for layer, array in value.activations.items():
            staged[f"{folder}/activations/{layer}/{split}"] = array
        for part, array in (("labels", value.labels), ("ids", value.ids)):
            key = f"{part}/{own}"
            if array is None:
                continue
            if key in self:
                _same_rows(self[key], array, part, split, folder)
            else:
                staged[key] = array
        if value.digests is None:
            return
        before, whose = self._rows.get(own, (None, None))
        if before is None:
            rows[own] = (value.digests, folder)
            return
        if len(before) != len(value.digests):
            raise ValueError(f"{folder}/{split} has {len(value.digests)} rows and {whose} had "
                             f"{len(before)}: collect the same rows from every model")
        changed = np.flatnonzero(before != value.digests)
        if len(changed):
            raise ValueError(
                f"row {changed[0]} of {split} is another one than when {whose} was collected "
                f"({len(changed)} of {len(before)} rows changed): switch random augmentation and "
                "shuffling off, or collect with digests=False if inputs are meant to differ")

    def _stage_tokens(self, staged, files, folder, split, value):
        for suffix, array in value.arrays().items():
            staged[f"{folder}/tokens/{split}{suffix}"] = array
        if value.texts is not None:
            text = _lines(value.texts)
            before = self._files.get(f"text/{split}.txt", text) if not self._on_disk() else text
            if before != text:
                raise ValueError(f"the texts of {split} are others than before: collect the same "
                                 "sequences in the same order from every model")
            files[f"text/{split}.txt"] = text
        if value.generations is not None:
            files[f"{folder}/generated/{split}.txt"] = _lines(value.generations)


def _role_and_method(role, method):
    if "/" in role and method is None:
        role, method = role.split("/", 1)
    if role not in ROLES:
        raise ValueError(f"the role '{role}' is unknown: give one of {', '.join(ROLES)}")
    if (role in _WITH_METHODS) != bool(method):
        raise ValueError(f"{role} needs a method: add('{role}/NAME', ...)" if role in _WITH_METHODS
                         else f"{role} has no methods, but '{method}' was given")
    return role, method


def _outputs(value, key):
    array = as_numpy(value)
    if array.ndim not in (1, 2, 3) or not np.issubdtype(array.dtype, np.number):
        raise ValueError(f"{key} has shape {array.shape} and type {array.dtype}: outputs are numbers, "
                         "[rows, classes]")
    return array


def _same_rows(before, now, part, split, folder):
    before, now = np.asarray(before), np.asarray(now)
    if len(before) != len(now):
        raise ValueError(f"{folder}/{split} has {len(now)} rows and the {part} of {split} have "
                         f"{len(before)}: collect the same rows from every model")
    other = np.flatnonzero(before.astype(str) != now.astype(str))
    if len(other):
        raise ValueError(f"{folder}: row {other[0]} of {split} has {part} {now[other[0]]}, and "
                         f"{before[other[0]]} was there before: rows are in another order or changed")


def _lines(texts):
    """One sequence per line; line breaks inside become spaces."""
    if isinstance(texts, str):
        raise ValueError("text is one string: give a list with one text per row")
    return "".join(" ".join(str(text).split()) + "\n" for text in texts)


def _plain(array):
    """What the compiled part takes without a copy, or the bytes of a .npy file."""
    array = np.asarray(array)
    if array.dtype.kind in "fiub" and array.dtype.isnative and array.dtype.itemsize <= 8:
        return np.ascontiguousarray(array)
    return _files.npy_bytes(array)
