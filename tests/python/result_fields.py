"""Types of results.json for Python from docs/reference/results.md, which is made from the core's lists of fields."""

import keyword
import os
import re

from support import SOURCE

REFERENCE = os.path.join(SOURCE, "docs", "reference", "results.md")
MODULE = os.path.join(SOURCE, "python", "vestige", "_fields.py")
PLAIN = {"text": "str", "letter": "str", "whole number": "int", "number": "float", "number or null": "float | None",
         "true or false": "bool", "object": "dict", "reason": "Reason | None",
         "object of lists of numbers": "dict[str, list[float | None]]"}

BEGIN = '''"""Types of results.json; made by tests/python/make_stubs.py from docs/reference/results.md.

Undefined numbers are None, infinities the texts "inf" and "-inf".
"""

from __future__ import annotations

from typing import Literal, TypedDict


class Reason(TypedDict):
    """What is said: programs read code and arguments, people the text."""

    code: str
    arguments: dict
    text: str


class Results(TypedDict, total=False):
    """results.json as a whole; requests, gate, bench and lines are there where an audit has them."""

    schema: int
    tool: dict
    run: Run
    evidence: dict
    inputs: list[dict]
    remarks: list[Remark]
    skipped: list[Skipped]
    results: list[Row]
    lines: list[dict]
    series: list[Series]
    verdicts: list[Verdict]
    remembered: RememberedRows
    correlations: dict
    samples: SampleFile
    requests: Requests
    gate: Gate
    bench: Experiment
'''


def structs():
    """[(name, [(field, type, meaning)])] in the order of the page."""
    with open(REFERENCE, encoding="utf-8") as file:
        page = file.read().split("## Reasons\n")[0]
    found = []
    for name, table in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.M | re.S):
        found.append((name, re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", table, re.M)))
    return found


def python_type(text, known):
    """A type of the page as Python writes it."""
    if text in PLAIN:
        return PLAIN[text]
    if text.startswith("`"):
        words = [word.strip('"') for word in re.findall(r"`([^`]*)`", text)]
        return "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"
    # "list of number or null": of numbers, each of which may be null.
    if text.endswith(" or null") and not text.endswith("of number or null"):
        return python_type(text.removesuffix(" or null"), known) + " | None"
    if text.startswith("list of "):
        inside = text.removeprefix("list of ")
        return f"list[{'Reason' if inside == 'reason' else python_type(inside, known)}]"
    if text.startswith("object of "):
        return f"dict[str, {python_type(text.removeprefix('object of '), known)}]"
    if text not in known:
        raise ValueError(f"docs/reference/results.md has the type '{text}', which result_fields.py does not know")
    return text


def typed(name, fields, known):
    types = [(field, python_type(kind, known), meaning) for field, kind, meaning in fields]
    total = "" if all("absent" not in meaning for _, _, meaning in types) else ", total=False"
    if any(keyword.iskeyword(field) for field, _, _ in types):  # "from" of a step between grades
        inside = ", ".join(f'"{field}": "{kind}"' for field, kind, _ in types)
        return f'\n\n{name} = TypedDict("{name}", {{{inside}}}{total})\n'
    return f"\n\nclass {name}(TypedDict{total}):\n" + "".join(
        f"    {field}: {kind}  #: {meaning}\n" for field, kind, meaning in types)


def module():
    """The text of python/vestige/_fields.py."""
    found = structs()
    known = {name for name, _ in found}
    text = BEGIN + "".join(typed(name, fields, known) for name, fields in found)
    text += "\n\nclass VerdictFields:\n    \"\"\"Those of a verdict as attributes.\"\"\"\n\n"
    for field, kind, meaning in dict(found)["Verdict"]:
        text += f"    {field}: {python_type(kind, known)}  #: {meaning}\n"
    return text
