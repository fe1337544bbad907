"""Evidence in memory or on disk: what models said, per model, split and row."""

from __future__ import annotations

import csv
import difflib
import io
import json
import os

import numpy as np

from vestige import _files
from vestige._collected import Collected, TokenOutputs
from vestige._numpy import as_numpy
from vestige._toml import toml_text
from vestige._views import Inspection

ROLES = ("original", "retrained", "unlearned", "partial", "checkpoint", "shadow", "random",
         "membership", "verification", "probed")
#: Splits that something reads; language models also have utility.NAME.
SPLITS = ("forget", "retain", "test", "calibration", "calibration_shadow", "calibration_semi_shadow",
          "shadow_train", "shadow_forget", "shadow_retain", "canary", "train", "generated")
_WITH_METHODS = ("unlearned", "partial", "checkpoint", "probed")
_ROW_PARTS = ("labels", "ids", "subjects", "subclasses", "pictures")
_SHARED_PARTS = (*_ROW_PARTS, "digests")
_SETTINGS = ("kind", "classes", "exchangeable", "token_moments", "losses", "vocabulary", "notes",
             "pairing", "removed_fraction", "membership", "seconds")


class Evidence:
    """Arrays by path, as docs/reference/evidence.md lays them out; without a path it begins empty.

    Arrays in memory are kept as they are, not copied: do not change them before the audit. What is added
    to evidence of a path stays in memory, beside what is on disk, until ``save()`` writes it there.
    """

    def __init__(self, path=None, *, name="evidence in memory"):
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise ValueError(f"path is of type {type(path).__name__}: give a folder, a .npz or a .safetensors "
                             "file, or nothing for evidence that is built up in memory")
        self._path = None if path is None else os.fspath(path)
        self._name = name
        self._arrays = {}
        self._files = {}
        self._whose = {}  # split -> the model that its digests were seen with
        self._settings = {}
        if self._path is not None:
            self._on_disk().keys()  # refuses a path that is no evidence

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
        role, method = self._checked(role, name, method, splits, saliency, members, tokens, losses,
                                     *(activations or {}).values())
        folder = "/".join(part for part in (role, method, str(name)) if part)
        staged, files, whose = {}, {}, {}
        for split, value in splits.items():
            if isinstance(value, TokenOutputs):
                self._stage_tokens(staged, files, folder, split, value)
            elif isinstance(value, Collected):
                self._stage_collected(staged, whose, folder, split, value,
                                      f"{split}.{name}" if split in own_rows else split)
            else:
                staged[f"{folder}/{split}"] = _outputs(value, f"{folder}/{split}")
        for layer, by_split in (activations or {}).items():
            for split, value in by_split.items():
                staged[f"{folder}/activations/{layer}/{split}"] = as_numpy(value)
        for part, by_split in (("saliency", saliency), ("members", members), ("losses", losses)):
            for split, value in (by_split or {}).items():
                staged[f"{folder}/{part}/{split}"] = _per_row(value, part, split)
        for split, value in (tokens or {}).items():
            if isinstance(value, TokenOutputs):
                self._stage_tokens(staged, files, folder, split, value)
            else:
                staged[f"{folder}/tokens/{split}"] = as_numpy(value)
        if not staged:
            raise ValueError(f"{folder}: nothing was given: add splits, for example forget=logits")
        for key in (*staged, *files):
            _files.check_name(key)
        there = set(self.keys())
        taken = [key for key in staged if key in there and not key.startswith(_SHARED_PARTS)]
        if taken and not replace:
            raise ValueError(f"{taken[0]} is there already: give the model another name, or "
                             "replace=True")
        self._arrays.update(staged)
        self._files.update(files)
        self._whose.update(whose)
        return self

    @staticmethod
    def _checked(role, name, method, *by_split):
        """Role and method, refused with all misspelt names before any model is asked."""
        role, method = _role_and_method(role, method)
        if "/" in str(name) or str(name) in ("", ".", ".."):
            raise ValueError(f"the model's name '{name}' is no name of a folder: give a number or a "
                             "name without a slash")
        for splits in by_split:
            for split in splits or ():
                _check_split(split)
        return role, method

    def collect(self, role, name, model, splits, *, method=None, own_rows=("shadow_train",),
                replace=False, skip_existing=False, **options):
        """Collects every split from a model (``export.collect``) and adds it; all or nothing.

        ``splits`` is {split: data}. Names are checked before the model is asked. ``skip_existing`` passes
        over splits that this model has already, so that a run that was broken off goes on; ``replace``
        collects them again.
        """
        from vestige.export import collect

        if not hasattr(splits, "items"):
            raise ValueError(f"splits is of type {type(splits).__name__}: give a dictionary, {{'forget': data, ...}}")
        role, method = self._checked(role, name, method, splits)
        folder = "/".join(part for part in (role, method, str(name)) if part)
        there = set(self.keys())
        taken = [split for split in splits if f"{folder}/{split}" in there or f"{folder}/tokens/{split}" in there]
        if taken and not replace and not skip_existing:
            raise ValueError(f"{folder}/{taken[0]} is there already: give the model another name, replace=True, or "
                             "skip_existing=True to collect what is missing")
        wanted = {split: data for split, data in splits.items() if replace or split not in taken}
        if not wanted:
            return self
        found = {split: collect(model, data, **options) for split, data in wanted.items()}
        return self.add(role, name, method=method, own_rows=own_rows, replace=replace, **found)

    def add_rows(self, split, *, labels=None, ids=None, subjects=None, subclasses=None,
                 pictures=None, text=None, continuation=None):
        """What is known of a split's rows, whichever model: labels [n], ids [n], texts, ..."""
        _check_split(split)
        _files.check_name(split)
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
        on_disk = self._path is not None and "evidence.toml" in self._on_disk().files()
        if (on_disk or "evidence.toml" in self._files) and not self._settings:
            raise ValueError("this evidence has an evidence.toml already: edit that file")
        self._settings.update(settings)
        self._files["evidence.toml"] = toml_text(self._settings)
        return self

    def accuracy(self, values):
        """{role or method: {split: [one accuracy per model]}} where there are no outputs."""
        self._files["accuracy.json"] = json.dumps(values, indent=1)
        return self

    def requests(self, requests, *, rows=None, subjects=None, dates=None):
        """Which forget rows each erasure request is about (docs/practice/requests.md).

        ``requests`` is one name per row of forget, None for rows of no request. With ``rows`` (places in
        forget, or ids where forget has ids) it is one name per row that is listed there. ``subjects`` and
        ``dates`` go along.
        """
        names = list(requests)
        if rows is None:
            ids = self["ids/forget"] if "ids/forget" in self else None
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
        return sorted({*self._arrays, *(() if self._path is None else self._on_disk().keys())})

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, key):
        return key in self._arrays or key in self.keys()

    def __getitem__(self, key):
        if key in self._arrays or self._path is None:
            return self._arrays[key]
        source = self._on_disk()
        if key not in source.keys():
            raise KeyError(key)
        return np.load(io.BytesIO(source.npy(key)))

    def __setitem__(self, key, value):
        _files.check_name(key)
        self._arrays[key] = as_numpy(value)

    def __repr__(self):
        added = f", {len(self._arrays)} not saved" if self._path is not None and self._arrays else ""
        return f"<vestige.Evidence: {self._path or self._name}, {len(self)} arrays{added}>"

    # Using it.

    def inspect(self, *, threads=0, memory=4):
        """Everything that an audit would trip over, and which metrics are supported."""
        from vestige._audit import check_number
        from vestige._compiled import core

        check_number("threads", threads, int)
        check_number("memory", memory, float)
        fields, text = core().inspect(self._source(), threads, memory)
        return Inspection(json.loads(fields), text)

    def save(self, path=None, *, force=False):
        """Writes a folder, or a .npz or .safetensors file; it appears whole or not at all.

        Without ``path``, evidence of a folder gets what was added since: new files are written, the
        others are not even read.
        """
        if path is None and self._path is None:
            raise ValueError("this evidence comes from no folder: give the path to save it at")
        if path is None and os.path.isdir(self._path):
            _files.add_to_folder(self._path, self._arrays, self._files)
            self._arrays, self._files, path = {}, {}, self._path
            return path
        arrays, files = self._everything()
        force = force or path is None
        path = self._path if path is None else os.fspath(path)
        if not arrays:
            raise ValueError("this evidence is empty: add what models said first")
        if path.endswith(".npz"):
            _files.write_npz(path, arrays, files, force)
        elif path.endswith(".safetensors"):
            _files.write_safetensors(path, arrays, files, force)
        else:
            _files.write_folder(path, arrays, files, force)
        return path

    # Inside.

    def _on_disk(self):
        """What lies at the path, without what was added since."""
        from vestige._compiled import core

        return core().Source.open(self._path)

    def _source(self):
        from vestige._compiled import core

        added = None
        if self._arrays or self._path is None:
            arrays = {key: _plain(array) for key, array in self._arrays.items()}
            added = core().Source.memory(self._path or self._name, arrays, self._files)
        if self._path is None:
            return added
        source = self._on_disk()
        if added is None and self._files:
            key = source.keys()[0]
            added = core().Source.memory(self._path, {key: source.npy(key)}, self._files)
        if added is not None:
            source.add(added)
        return source

    def _everything(self):
        """All arrays and files, those on disk too."""
        if self._path is None:
            return self._arrays, self._files
        source = self._on_disk()
        arrays = {key: np.load(io.BytesIO(source.npy(key))) for key in source.keys() if key not in self._arrays}
        files = {name: source.read(name).decode("utf-8") for name in source.files() if _files.belongs(name)}
        return {**arrays, **self._arrays}, {**files, **self._files}

    def _stage_collected(self, staged, whose, folder, split, value, own):
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
        digests = np.asarray(value.digests).astype(np.uint64).view(np.int64)
        if f"digests/{own}" not in self:
            staged[f"digests/{own}"] = digests
            whose[own] = folder
            return
        before, other = self[f"digests/{own}"], self._whose.get(own, "another model")
        if len(before) != len(digests):
            raise ValueError(f"{folder}/{split} has {len(digests)} rows and {other} had "
                             f"{len(before)}: collect the same rows from every model")
        changed = np.flatnonzero(before != digests)
        if len(changed):
            raise ValueError(
                f"row {changed[0]} of {split} is another one than when {other} was collected "
                f"({len(changed)} of {len(before)} rows changed): switch random augmentation and "
                "shuffling off, or collect with digests=False if inputs are meant to differ")

    def _stage_tokens(self, staged, files, folder, split, value):
        for suffix, array in value.arrays().items():
            staged[f"{folder}/tokens/{split}{suffix}"] = array
        if value.texts is not None:
            text = _lines(value.texts)
            before = self._files.get(f"text/{split}.txt", text)
            if before != text:
                raise ValueError(f"the texts of {split} are others than before: collect the same "
                                 "sequences in the same order from every model")
            files[f"text/{split}.txt"] = text
        if value.generations is not None:
            files[f"{folder}/generated/{split}.txt"] = _lines(value.generations)
        if value.samples is not None:
            files[f"{folder}/generated/{split}.samples.jsonl"] = "".join(
                json.dumps(list(samples), ensure_ascii=False) + "\n" for samples in value.samples)
        if value.continuations is not None:
            files[f"text/{split}.continuation.txt"] = _lines(value.continuations)


def _role_and_method(role, method):
    if "/" in role and method is None:
        role, method = role.split("/", 1)
    if role not in ROLES:
        raise ValueError(f"the role '{role}' is unknown{_nearest(role, ROLES)}: give one of "
                         f"{', '.join(ROLES)}")
    if (role in _WITH_METHODS) != bool(method):
        raise ValueError(f"{role} needs a method: add('{role}/NAME', ...)" if role in _WITH_METHODS
                         else f"{role} has no methods, but '{method}' was given")
    parts = (method or "x").split("/")
    if role == "probed":
        parts = _probed_parts(method)
    if len(parts) != 1 or parts[0] in ("", ".", ".."):
        raise ValueError(f"the method '{method}' is no name of a folder: give a name without a slash, for "
                         f"example '{method.strip('/').replace('/', '-') or 'finetune'}'")
    return role, method


def _probed_parts(method):
    """The name of the method that was treated, as parts of a path; refuses other roles."""
    test, _, of = method.partition("/")
    role, _, name = of.partition("/")
    if not test or role not in ("original", "retrained", "unlearned") or (role == "unlearned") != bool(name):
        raise ValueError(f"'probed/{method}' is no treated model: write probed/TEST/original, "
                         "probed/TEST/retrained or probed/TEST/unlearned/METHOD")
    return (name or "x").split("/")


def _check_split(split):
    """Refuses a split that nothing reads: a misspelt one would be left out in silence."""
    base = str(split).split(".", 1)[0]
    if base in SPLITS or str(split).startswith("utility."):
        return
    raise ValueError(f"the split '{split}' is unknown{_nearest(base, SPLITS)}: give one of "
                     f"{', '.join(SPLITS)}, or utility.NAME")


def _nearest(word, known):
    """", did you mean 'forget'" where a known word is near."""
    near = difflib.get_close_matches(str(word).lower(), known, 1)
    return f", did you mean '{near[0]}'" if near else ""


def _outputs(value, key):
    array = as_numpy(value)
    if array.ndim not in (1, 2, 3) or not np.issubdtype(array.dtype, np.number):
        raise ValueError(f"{key} has shape {array.shape} and type {array.dtype}: outputs are numbers, "
                         "[rows, classes]")
    return array


def _per_row(value, part, split):
    """One number per row where the part has one; saliency maps are [n, d]."""
    array = as_numpy(value)
    base = str(split).split(".", 1)
    if part in ("losses", "members") and array.ndim != 1 and not (part == "losses" and len(base) == 2):
        raise ValueError(f"{part} of {split} have shape {array.shape}: give one number per example, [n]"
                         + (", for example their mean over outputs, losses.mean(axis=1)" if part == "losses" else ""))
    if part == "losses" and (array.dtype.kind not in "fiu" or not np.isfinite(array).all()):
        raise ValueError(f"losses of {split} are no finite numbers: give one loss per example, [n]")
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
