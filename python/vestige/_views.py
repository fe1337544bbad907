"""Verdicts and inspections as objects: fields are attributes, which editors complete and pickle keeps."""

from __future__ import annotations

from vestige._fields import VerdictFields


class Fields:
    """Fields of a JSON object as attributes."""

    _what = "this"

    def __init__(self, fields):
        self.__dict__.update(fields)

    @property
    def fields(self):
        """All fields as a dictionary."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __getattr__(self, name):
        # Called for what is missing; names with an underscore are asked for by copy and pickle.
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"{self._what} has no '{name}': it has {', '.join(self.fields)}")

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None


class Verdict(Fields, VerdictFields):
    """What the tests show about one method; docs/reference/results.md describes every field."""

    _what = "a verdict"

    reason: str  #: why it has this word
    sentence: str  #: what it says, in one sentence
    cannot: str  #: what cannot be concluded

    @property
    def share_left(self):
        """Share of what the original knows beyond retrained models that is left: 0 as retrained, 1 as
        the original; nan where it was not tested or the original knows no more than retrained models."""
        return share_of(self.tests)["share"]

    @property
    def share_interval(self):
        """Its 95 % interval, (lower, upper); the original-retrained difference is held fixed."""
        found = share_of(self.tests)
        return (found["lower"], found["upper"])

    def __repr__(self):
        return f"<{self.method}: {self.word}. {self.sentence}>"


def share_of(tests):
    """Share left by the first core test of a gap to unseen examples."""
    for test in tests:
        room, difference = test.get("reference_difference"), test.get("difference") or {}
        if not test.get("core") or not str(test["metric"]).startswith("holdout_gap.") or not room:
            continue
        if room <= 0 or difference.get("estimate") is None:
            continue
        ends = [difference.get(end) for end in ("estimate", "lower", "upper")]
        return dict(zip(("share", "lower", "upper"),
                        [float("nan") if end is None else end / room for end in ends]), metric=test["metric"])
    return {"share": float("nan"), "lower": float("nan"), "upper": float("nan"), "metric": None}


class Inspection(Fields):
    """What is wrong with evidence, and which metrics it supports; true if there is no error."""

    _what = "an inspection"

    path: str
    summary: str
    grade: str
    grade_reason: str
    errors: int
    warnings: int
    checks: list[dict]
    power: dict
    support: list[dict]

    def __init__(self, fields, text):
        super().__init__(fields)
        self._text = text

    @property
    def text(self):
        """The same as ``vestige inspect`` prints it."""
        return self._text

    def __bool__(self):
        return self.errors == 0

    def __repr__(self):
        return self._text
