"""An audit and its views: verdicts, tables, the page, plots."""

from __future__ import annotations

import csv
import html
import io
import json
import numbers
import os
import threading

from vestige import _files
from vestige._compiled import core
from vestige._evidence import Evidence
from vestige._frames import frame
from vestige._words import in_python


def audit(evidence, metrics=None, policy=None, *, options=None, methods=None, exclude=None, seed=1,
          threads=0, memory=4, title="", keep_going=False, progress=False, command=None):
    """Measures everything that the evidence supports, as ``vestige audit`` does.

    ``evidence`` is an ``Evidence`` or the path of a folder, .npz or .safetensors file; ``metrics``
    names families or ids; ``options`` are metric options by key, {"iam.levels": 50}; ``methods`` and
    ``exclude`` choose unlearned methods; ``policy`` is a policy file, or a list of what no verdict may
    say, ["under", "inconclusive"]: ``Audit.gate`` then has the outcome. ``memory`` is how
    many gigabytes may be taken for rows that must be held as a whole; families that need more are left out
    (docs/scale.md). Errors of the evidence are ``ValueError``.
    """
    file = isinstance(policy, (str, os.PathLike))
    if not isinstance(evidence, Evidence):
        if not isinstance(evidence, (str, os.PathLike)):
            raise ValueError(f"evidence is of type {type(evidence).__name__}: give a vestige.Evidence or "
                             "the path of a folder, .npz or .safetensors file")
        evidence = Evidence(evidence)
    if command is None:
        command = f"vestige.audit({evidence!r})"
    for name, value, kind in (("seed", seed, int), ("threads", threads, int), ("memory", memory, float)):
        check_number(name, value, kind)
    main = threading.current_thread() is threading.main_thread()
    given = dict(command=command, metrics=names_of(metrics, "metrics"), options=json.dumps(options or {}),
                 title=title, methods=names_of(methods, "methods"), exclude=names_of(exclude, "exclude"),
                 policy=os.fspath(policy) if file else "", fail_on=[] if file else names_of(policy, "policy"),
                 seed=seed, threads=threads, memory=memory, keep_going=keep_going, progress=progress,
                 interruptible=main)
    try:
        audited = core().run_audit(evidence._source(), **given)
    except ValueError as error:
        raise ValueError(in_python(str(error), evidence)) from None
    return Audit(audited)


def check_number(name, value, kind):
    """Refuses what is no number, or a whole number below 0, with a sentence."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole and (kind is int or not isinstance(value, numbers.Real)):
        raise ValueError(f"{name} is {value!r}: give a {'whole ' if kind is int else ''}number")
    if name == "seed" and value < 0:
        raise ValueError(f"seed is {value}: give 0 or a whole number above it")


class Verdict:
    """What the tests show about one method."""

    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.fields:
            raise AttributeError(f"a verdict has no '{name}': it has {', '.join(self.fields)}")
        return self.fields[name]

    def __repr__(self):
        return f"<{self.fields['method']}: {self.fields['word']}. {self.fields['sentence']}>"


class Text(str):
    """Lines that a notebook shows as they are."""

    def __repr__(self):
        return str(self)


class Audit:
    """The results of one audit; ``results`` is results.json as a dictionary."""

    def __init__(self, audited):
        self._audited = audited
        self._text = audited.results_text()
        self.results = json.loads(self._text)
        self.verdicts = [Verdict(fields) for fields in self.results["verdicts"]]

    @property
    def grade(self):
        """How much the evidence can prove, A to E."""
        return self.results["evidence"]["grade"]

    @property
    def gate(self):
        """The outcome of the policy: passed, and one entry per check; None without a policy."""
        return self.results.get("gate")

    def rows(self):
        """Every number: one row per metric, setting and model (a DataFrame where pandas is)."""
        return frame([_flat(row) for row in self.results["results"]])

    def table(self):
        """One row per metric and setting, one column per model or method."""
        table, columns = {}, []
        for row in self.results["results"]:
            settings = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
            column = _subject(row["subject"])
            if column not in columns:
                columns.append(column)
            table.setdefault((row["metric"], settings), {})[column] = row["value"]
        return frame([{"metric": metric, "settings": settings,
                       **{column: values.get(column) for column in columns}}
                      for (metric, settings), values in table.items()])

    def samples(self):
        """Scores of every row of the splits, forget rows first, worst first."""
        readers = {"split": str, "id": str, "subject": str, "row": int, "label": _label}
        reader = csv.DictReader(io.StringIO(self._audited.samples_text()))
        return frame([{key: readers.get(key, _number)(value) for key, value in row.items()}
                      for row in reader])

    def requests(self):
        """One row per method and erasure request, worst first; empty without requests."""
        readers = {"method": str, "request": str, "subject": str, "date": str, "word": str, "rows": int}
        reader = csv.DictReader(io.StringIO(self._audited.requests_text()))
        return frame([{key: readers.get(key, _number)(value) for key, value in row.items()}
                      for row in reader])

    def verdict(self, method):
        """The verdict on one method."""
        for verdict in self.verdicts:
            if verdict.method == method:
                return verdict
        known = [verdict.method for verdict in self.verdicts]
        raise ValueError(f"there is no method '{method}': this audit has {', '.join(known) or 'none'}")

    def explain(self, method):
        """One method's verdict with its tests, as ``vestige audit --verdict`` prints it."""
        return Text(self._audited.verdict_text(self.verdict(method).method))

    def text(self):
        """Every number as a table of text, as ``vestige audit --full`` prints it."""
        return Text(self._audited.text())

    def save(self, folder, *, force=False):
        """Writes results.json, samples.csv, report.html and plots/; all or nothing."""
        self._audited.save(os.fspath(folder), force)
        return os.fspath(folder)

    def report(self, path, *, force=False):
        """Writes the page, one file that opens from disk."""
        return _files.write_text(os.fspath(path), self._audited.page(), force)

    def plots(self):
        """Names of the plots."""
        return list(self._specifications())

    def plot(self, name):
        """One plot as an Altair chart; its Vega-Lite specification where Altair is missing."""
        plots = self._specifications()
        if name not in plots:
            raise ValueError(f"there is no plot '{name}': this audit has {', '.join(plots) or 'none'}")
        try:
            import altair
        except ImportError:
            return json.loads(plots[name])
        # Specifications name the schema that they were written for; Altair checks against its own.
        return altair.Chart.from_dict(json.loads(plots[name]), validate=False)

    def _specifications(self):
        return {name.removesuffix(".vl.json"): text for name, text in self._audited.plots().items()
                if name.endswith(".vl.json")}

    def __repr__(self):
        return self._audited.brief()

    def _repr_html_(self):
        """The page's first screen, shut off from the notebook's own style."""
        page = (f"<!doctype html><meta charset=utf-8><style>{core().page_style()}</style>"
                f"<header id=top>{self._audited.first_screen()}</header>")
        height = 240 + 60 * max(1, len(self.verdicts))
        return (f'<iframe sandbox style="width:100%;height:{height}px;border:0" '
                f'srcdoc="{html.escape(page)}"></iframe>')


def names_of(value, what):
    if value is None:
        return []
    if isinstance(value, str):
        value = value.split(",")
    names = [str(name).strip() for name in value]
    if not all(names):
        raise ValueError(f"{what} holds an empty name: give names, or None for all")
    return names


def _subject(subject):
    return "/".join(part for part in (subject["role"], subject["method"], subject["name"]) if part)


def _flat(row):
    flat = {"metric": row["metric"], "model": _subject(row["subject"])}
    flat.update({key: value for key, value in row.items() if key not in ("metric", "facts")})
    flat.update({key: row["subject"][key] for key in ("role", "method", "name")})
    del flat["subject"]
    flat["settings"] = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
    for key in ("value", "lower", "upper", "ideal", "reference"):
        if key in flat:
            flat[key] = _number(flat[key])
    return flat


def _label(value):
    return int(value) if value else None


def _number(value):
    """Numbers of results.json and of CSV files: null and empty fields are nan."""
    if value is None or value == "":
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
