"""An audit and its views: verdicts, tables, the page, plots."""

from __future__ import annotations

import difflib
import html
import json
import numbers
import os
import threading
from typing import TYPE_CHECKING

from vestige import _files
from vestige._compiled import core
from vestige._evidence import Evidence
from vestige._frames import frame, frame_of_columns
from vestige._views import Verdict
from vestige._words import in_python

if TYPE_CHECKING:
    from vestige._fields import Results
#: columns of Audit.requests
_REQUEST = ("method", "request", "subject", "date", "examples", "word", "difference", "share", "p", "adjusted", "power")


def audit(evidence, metrics=None, policy=None, *, options=None, methods=None, exclude=None, seed=1,
          threads=0, memory=4, title="", keep_going=False, progress=False, command=None):
    """Measures everything that the evidence supports, as ``vestige audit`` does.

    ``evidence`` is an ``Evidence`` or the path of a folder, .npz or .safetensors file; ``metrics``
    names families or ids; ``options`` are metric options by key, {"iam.levels": 50}; ``methods`` and
    ``exclude`` choose unlearned methods; ``policy`` is a policy file, or a list of what no verdict may
    say, ["under", "undecided"]: ``Audit.gate`` then has the outcome. ``memory`` is how
    many gigabytes may be taken for rows that must be held as a whole; families that need more are left out
    (docs/guides/large-evidence.md). Errors of the evidence are ``ValueError``.
    """
    file = isinstance(policy, (str, os.PathLike))
    check_policy(policy)
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


def check_policy(policy):
    """Refuses an empty name or list: a policy that was meant would be ignored."""
    if policy is not None and not (os.fspath(policy) if isinstance(policy, os.PathLike) else policy):
        raise ValueError("policy is empty: give a policy file, or a list of words such as ['under']")


def check_number(name, value, kind):
    """Refuses what is no number, or a whole number below 0, with a sentence."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole and (kind is int or not isinstance(value, numbers.Real)):
        raise ValueError(f"{name} is {value!r}: give a {'whole ' if kind is int else ''}number")
    if name == "seed" and value < 0:
        raise ValueError(f"seed is {value}: give 0 or a whole number above it")


class Text(str):
    """Lines that a notebook shows as they are."""

    def __repr__(self):
        return str(self)


class Audit:
    """The results of one audit; ``results`` is results.json as a dictionary."""

    def __init__(self, audited):
        self._audited = audited
        self._text = audited.results_text()
        self.results: Results = json.loads(self._text)
        self.verdicts = [Verdict(fields) for fields in self.results["verdicts"]]

    def __reduce__(self):
        """Copies and other processes get the results and make the views from them."""
        audited = self._audited
        return (_reopened, (self._text, audited.samples_text(), audited.requests_text(), audited.text(),
                            audited.models_text()))

    @property
    def grade(self):
        """How much the evidence can prove, A to D."""
        return self.results["evidence"]["grade"]

    @property
    def gate(self):
        """The outcome of the policy: passed, and one entry per check; None without a policy."""
        return self.results.get("gate")

    @property
    def metrics(self):
        """Ids of the metrics that were measured, in the order of the report."""
        return list(dict.fromkeys(row["metric"] for row in self.results["results"]))

    @property
    def share_left(self):
        """{method: share of what the original knows that is left}: 0 as retrained, 1 as the original."""
        return {verdict.method: verdict.share_left for verdict in self.verdicts}

    def rows(self, metrics=None, *, methods=None):
        """Every number: one row per metric, setting and model (a DataFrame where pandas is).

        ``metrics`` and ``methods`` choose ids or beginnings of ids, and methods; unknown ones are errors.
        """
        return frame([_flat(row) for row in self._chosen(metrics, methods)])

    def table(self, metrics=None, *, methods=None):
        """One row per metric and setting, one column per model or method; a choice as in ``rows``."""
        table, columns = {}, []
        for row in self._chosen(metrics, methods):
            settings = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
            column = _subject(row["subject"])
            if column not in columns:
                columns.append(column)
            table.setdefault((row["metric"], settings), {})[column] = row["value"]
        return frame([{"metric": metric, "settings": settings,
                       **{column: values.get(column) for column in columns}}
                      for (metric, settings), values in table.items()])

    def summary(self, metrics=None, *, by="method", over="models", spread="std", methods=None):
        """The table of a paper: one row per method with original and retrained, one column per metric.

        ``metrics`` are ids ("iam.offline.tpr", "utility.relative_time"; of several settings the first, or
        "id [setting=value]"), and "share_left"; by default the share left, accuracies and the gap to unseen
        examples. Values are means over models (``over="models"``; "none" for one row per
        model), with ``spread`` "std" (over models, ddof 1), "ci" (95 %, t over models; the interval over
        examples where there is one model) or None. ``by`` is "method", or "metric" for the transposed table.
        A saved audit knows single models only where metrics have a row for each. The result has ``frame()``, ``values()`` (one number per model), ``to_latex()`` and ``to_markdown()``.
        """
        from vestige._summary import Summary

        return Summary(self, metrics, by, over, spread, methods)

    def samples(self):
        """Scores of every row of the splits, forget rows first, worst first."""
        audited = self._audited
        live = isinstance(audited, core().Audited)
        return frame_of_columns(core().samples_columns(audited) if live
                                else core().columns_of_csv(audited.samples_text()))

    def requests(self):
        """One row per method and erasure request, worst first; empty without requests."""
        found = self.results.get("requests")
        if not found:
            return frame([])
        return frame([{"method": method["method"], **{key: request[key] for key in _REQUEST[1:6]},
                       **{key: _number(request[key]) for key in _REQUEST[6:]}}
                      for method in found["methods"] for request in method["requests"]], _REQUEST)

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
        # With validation Altair finds the class that the specification fits; without it takes the first.
        return altair.Chart.from_json(plots[name])

    def figure(self, name="summary", **options):
        """One plot as a matplotlib figure, where matplotlib is installed; names as in ``figures``.

        ``options`` go to ``matplotlib.figure.Figure``: figsize=(4, 3).
        """
        from vestige._figures import figure

        return figure(self, name, options)

    def figures(self):
        """Names of the figures."""
        from vestige._figures import names

        return names(self)

    def _chosen(self, metrics, methods=None):
        """Rows of these metrics and methods; an unknown name is an error with the nearest one."""
        rows = self.results["results"]
        for asked in names_of(metrics, "metrics"):
            if not any(_begins(row["metric"], asked) for row in rows):
                raise ValueError(f"there is no metric '{asked}' in this audit{_meant(asked, self.metrics)}: "
                                 "audit.metrics lists them")
        known = [verdict.method for verdict in self.verdicts] + ["original", "retrained", "constant"]
        for asked in names_of(methods, "methods"):
            if asked not in known:
                raise ValueError(f"there is no method '{asked}' in this audit{_meant(asked, known)}: it has "
                                 f"{', '.join(known)}")
        ids, chosen = names_of(metrics, "metrics"), names_of(methods, "methods")
        return [row for row in rows if (not ids or any(_begins(row["metric"], asked) for asked in ids))
                and (not chosen or {row["subject"]["method"], row["subject"]["role"], row["control"]} & set(chosen))]

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


def open_audit(path):
    """An audit that was saved, as it was: verdicts, rows, table, samples, plots and page.

    ``path`` is the folder that ``audit.save`` or ``vestige audit --out`` wrote, or its results.json; without
    samples.csv beside it ``samples`` is empty.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"path is of type {type(path).__name__}: give a folder that an audit wrote")
    path = os.fspath(path)
    file = os.path.join(path, "results.json") if os.path.isdir(path) else path
    if not os.path.isfile(file):
        hint = ", which holds evidence: audit it with vestige.audit" if os.path.isdir(
            os.path.join(path, "labels")) else ": give a folder that an audit wrote"
        raise ValueError(f"there is no audit in {path}{hint}")
    return _reopened(*(_text_of(os.path.join(os.path.dirname(file), name))
                       for name in (os.path.basename(file), "samples.csv", "requests.csv")), "", "", file)


def _text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def _reopened(text, samples, requests, table, models, where="the audit"):
    return Audit(core().Reopened(text, samples, requests, table, models, where))


def _begins(id, asked):
    return id == asked or id.startswith(asked + ".")


def _meant(asked, known):
    near = difflib.get_close_matches(asked, known, 1, 0.5)
    return f", did you mean '{near[0]}'" if near else ""


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


def _number(value):
    """Numbers of results.json and of CSV files: null and empty fields are nan."""
    if value is None or value == "":
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
