"""The table of a paper: methods beside original and retrained, means over models with their spread."""

from __future__ import annotations

import json
import math
import statistics

from vestige._compiled import core
from vestige._frames import frame

_USUAL = ("share_left", "utility.accuracy.retain", "utility.accuracy.test", "utility.accuracy.forget",
          "holdout_gap.probability", "holdout_gap.likelihood", "holdout_gap.loss")
_EXTRA = ("share_left",)
_SPREADS = ("std", "ci", None)


class Summary:
    """What ``audit.summary`` gives; a notebook shows it as a table."""

    def __init__(self, audit, metrics, by, over, spread, methods):
        from vestige._audit import names_of

        for name, value, allowed in (("by", by, ("method", "metric")), ("over", over, ("models", "none")),
                                     ("spread", spread, _SPREADS)):
            if value not in allowed:
                raise ValueError(f"{name} is {value!r}: give {' or '.join(map(repr, allowed))}")
        asked = names_of(metrics, "metrics")
        measured = set(audit.metrics)
        if not asked:
            asked = [name for name in _USUAL if name == "share_left" or name in measured]
        audit._chosen([name.split(" [")[0] for name in asked if name not in _EXTRA] or None)  # refuses unknown ones
        self._by, self._over, self._spread = by, over, spread
        self._columns = asked
        self._groups = _groups(audit, names_of(methods, "methods"), audit._chosen)
        self._cells = {}
        for column in asked:
            for group in self._groups:
                self._cells[group, column] = _cell(audit, group, column)

    def values(self):
        """One row per method, metric and model: the numbers behind the means."""
        return frame([{"method": group, "metric": column, "model": name, "value": value}
                      for (group, column), cell in self._cells.items() for name, value in cell["models"]])

    def frame(self):
        """Numbers: a column per metric and one for its spread (``std``, or ``lower`` and ``upper``)."""
        records = []
        for group, model in self._lines():
            record = {"method": group, **({"model": model} if self._over == "none" else {})}
            for column in self._columns:
                record.update(self._numbers(group, model, column))
            records.append(record)
        if self._by == "metric":
            keys = [key for key in records[0] if key not in ("method", "model")] if records else []
            records = [{"metric": key, **{"/".join(filter(None, (record["method"], record.get("model")))): record[key]
                                          for record in records}} for key in keys]
        return frame(records)

    def to_markdown(self):
        """A table of Markdown."""
        head, lines = self._texts("±")
        return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines]) + "\n"

    def to_latex(self):
        """A tabular with the rules of booktabs."""
        head, lines = self._texts(r"$\pm$")
        body = "\n".join(" & ".join(_latex(cell) for cell in line) + r" \\" for line in lines)
        return (f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}\n\\toprule\n"
                f"{' & '.join(_latex(cell) for cell in head)} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n")

    def __repr__(self):
        return self.to_markdown()

    def _repr_html_(self):
        head, lines = self._texts("±")
        row = lambda cells, tag: "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"  # noqa: E731
        return f"<table>{row(head, 'th')}{''.join(row(line, 'td') for line in lines)}</table>"

    # Inside.

    def _lines(self):
        if self._over == "models":
            return [(group, None) for group in self._groups]
        return [(group, name) for group in self._groups
                for name in dict.fromkeys(name for column in self._columns
                                          for name, _ in self._cells[group, column]["models"])]

    def _numbers(self, group, model, column):
        cell = self._cells[group, column]
        if model is not None:
            return {column: dict(cell["models"]).get(model, math.nan)}
        numbers = {column: cell["mean"]}
        if self._spread == "std":
            numbers[column + " std"] = cell["std"]
        if self._spread == "ci":
            numbers.update({column + " lower": cell["lower"], column + " upper": cell["upper"]})
        return numbers

    def _texts(self, plus):
        """Head and lines of text; digits show the spread, four decimals at most."""
        lines = []
        for group, model in self._lines():
            line = [group if model is None else f"{group}/{model}"]
            for column in self._columns:
                numbers = list(self._numbers(group, model, column).values())
                text = "" if math.isnan(numbers[0]) else f"{numbers[0]:.4f}"
                if text and len(numbers) == 2 and not math.isnan(numbers[1]):
                    text += f" {plus} {numbers[1]:.4f}"
                if text and len(numbers) == 3 and not math.isnan(numbers[1]):
                    text += f" ({numbers[1]:.4f} to {numbers[2]:.4f})"
                line.append(text or "-")
            lines.append(line)
        table = [["method", *self._columns], *lines]
        if self._by == "metric":
            table = [list(cells) for cells in zip(*table)]
            table[0][0] = "metric"
        return table[0], table[1:]


def _groups(audit, chosen, check):
    """Rows of the table: original and retrained, then the methods."""
    methods = [verdict.method for verdict in audit.verdicts]
    known = ["original", "retrained", *methods]
    if chosen:
        check(None, chosen)
    return [group for group in known if not chosen or group in chosen]


def _cell(audit, group, column):
    empty = {"models": [], "mean": math.nan, "std": math.nan, "lower": math.nan, "upper": math.nan}
    if column == "share_left":
        return {**empty, **_share(audit, group)}
    id, _, setting = column.partition(" [")
    rows = [row for row in audit.results["results"] if (row["metric"] == id or row["metric"].startswith(id + "."))
            and _is(row, group)]
    if setting:
        rows = [row for row in rows if _setting(row) == setting.rstrip("]")]
    rows = [row for row in rows if row["metric"] == rows[0]["metric"] and _setting(row) == _setting(rows[0])]
    rows = [row for row in rows if row["value"] is not None]
    if not rows:
        return empty
    models = [(row["subject"]["name"], row["value"]) for row in rows]
    if len(rows) == 1 and not rows[0]["subject"]["name"]:  # a row for the group
        models = _by_model(audit, rows[0]) or models
    values = [value for _, value in models]
    mean = statistics.fmean(values)
    if len(rows) == 1:  # the interval that the audit gives, over examples, or examples and models
        ends = [math.nan if rows[0][end] is None else rows[0][end] for end in ("lower", "upper")]
        std = statistics.stdev(values) if len(values) > 1 else math.nan
        return {"models": models, "mean": rows[0]["value"], "std": std, "lower": ends[0], "upper": ends[1]}
    over_models = core().metrics.t_interval(values)
    return {"models": models, "mean": mean, "std": statistics.stdev(values), "lower": over_models.lower,
            "upper": over_models.upper}


def _by_model(audit, row):
    """(name, value) of the models behind a row of a group; empty where only the row is known."""
    subject = row["subject"]
    for found in json.loads(audit._audited.models_text() or "[]"):
        if (found["metric"], found["role"], found["method"], found["settings"]) == (
                row["metric"], subject["role"], subject["method"], row["settings"]):
            return [(name, math.nan if value is None else value) for name, value in found["values"].items()]
    return []


def _is(row, group):
    subject = row["subject"]
    if group in ("original", "retrained"):
        return subject["role"] == group
    return subject["role"] == "unlearned" and subject["method"] == group


def _setting(row):
    return ", ".join(f"{key}={value}" for key, value in row["settings"].items())


def _share(audit, group):
    if group in ("original", "retrained"):
        return {"mean": 1.0 if group == "original" else 0.0}
    verdict = audit.verdict(group)
    lower, upper = verdict.share_interval
    return {"mean": verdict.share_left, "lower": lower, "upper": upper}


def _latex(text):
    for letter in "&%#_":
        text = text.replace(letter, "\\" + letter)
    return text
