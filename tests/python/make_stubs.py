"""Stubs and the API reference from the package itself.

usage: make_stubs.py [--write]: prints what differs, or writes python/vestige/*.pyi, the types of
results.json (python/vestige/_fields.py) and docs/python/reference.md.
"""

import inspect
import os
import re
import sys

import result_fields
from support import SOURCE

import vestige
from vestige import _core, export, external, lab, loggers

STUBS = os.path.join(SOURCE, "python", "vestige")
REFERENCE = os.path.join(SOURCE, "docs", "python", "reference.md")


def tidy(signature):
    """A signature of pybind11 as Python would write it."""
    signature = signature.replace("vestige._core.metrics.", "").replace("vestige._core.", "")
    signature = re.sub(r"numpy\.ndarray(\[[^\]]*\])?", "ndarray", signature)
    signature = re.sub(r"Annotated\[List\[float\], FixedSize\(3\)\]", "List[float]", signature)
    signature = re.sub(r"List\[([A-Za-z]+)\[\d\]\]", r"List[\1]", signature)
    signature = re.sub(r"List\[float\[\d\]\]|List\[float\]", "list[float]", signature)
    return re.sub(r"\bList\[", "list[", re.sub(r"\bDict\[", "dict[", signature))


def arguments_in(signature):
    """ndarray results stay arrays; arguments may be anything that numpy takes."""
    name, rest = signature.split("(", 1)
    inside, result = rest.rsplit(") -> ", 1)
    inside = re.sub(r"Optional\[ndarray\]", "Optional[ArrayLike]", inside)
    inside = re.sub(r"\bndarray\b", "ArrayLike", inside)
    inside = re.sub(r": float = ([0-9.e-]+)", r": float = \1", inside)
    return f"{name}({inside}) -> {result}"


def documented(value):
    """Signature and text of a compiled function."""
    lines = value.__doc__.strip().split("\n")
    return arguments_in(tidy(lines[0])), "\n".join(lines[2:]).strip()


def metric_stubs():
    text = ('"""Metric functions on plain arrays; made by tests/python/make_stubs.py."""\n\n'
            "from typing import Optional\n\nfrom numpy import ndarray\n"
            "from numpy.typing import ArrayLike\n")
    names = [name for name in sorted(dir(_core.metrics)) if not name.startswith("_")]
    for name in names:
        value = getattr(_core.metrics, name)
        if not inspect.isclass(value):
            continue
        text += f'\nclass {name}:\n    """{value.__doc__.strip()}"""\n\n'
        for field in getattr(value, "_fields", ()) or properties(value):
            line = getattr(value, field).__doc__ or ""
            text += f"    @property\n    def {field}(self) -> {field_type(value, field)}: ...  # {line}\n"
        for method in methods(value):
            signature, line = documented(getattr(value, method))
            signature = re.sub(r"\(self: [A-Za-z]+", "(self", signature)
            text += f"    def {signature}: ...  # {line}\n"
        if getattr(value, "_fields", None):
            text += "    def _asdict(self) -> dict: ...\n"
    for name in names:
        value = getattr(_core.metrics, name)
        if inspect.isclass(value):
            continue
        signature, line = documented(value)
        text += f'\ndef {signature}:\n    """{line}"""\n'
    return text


def properties(value):
    return [name for name, item in vars(value).items() if isinstance(item, property)]


def methods(value):
    return [name for name in sorted(vars(value)) if not name.startswith("_")
            and name not in getattr(value, "_fields", ()) and name not in properties(value)]


def field_type(value, field):
    found = re.search(r"-> (.*)", vars(value)[field].fget.__doc__ or "")
    return tidy(found.group(1)) if found else "object"


def package_stub():
    text = '"""Vestige in Python; made by tests/python/make_stubs.py."""\n\n'
    for place in sorted(set(vestige._PLACES.values())):
        names = sorted(name for name, where in vestige._PLACES.items() if where == place)
        text += f"from {place} import " + ", ".join(
            f"{vestige._NAMES.get(name, name)} as {name}" for name in names) + "\n"
    text += "from vestige import " + ", ".join(f"{name} as {name}" for name in vestige._MODULES) + "\n"
    return text + "\n__version__: str\n"


def entry(name, value):
    """A function or a class with its public methods, as Markdown."""
    if inspect.isclass(value):
        text = f"### class {name}\n\n{inspect.getdoc(value)}\n\n"
        for method, item in vars(value).items():
            if method.startswith("_") or not inspect.getdoc(item):
                continue
            if isinstance(item, property):
                text += f"- `{method}`: {inspect.getdoc(item)}\n"
                continue
            function = item.__func__ if isinstance(item, classmethod) else item
            if callable(function):
                text += f"- `{method}{inspect.signature(function)}`: {flowed(function)}\n"
        return text.rstrip() + "\n\n"
    return f"### {name}\n\n```python\n{name}{inspect.signature(value)}\n```\n\n{inspect.getdoc(value)}\n\n"


def flowed(function):
    return " ".join(inspect.getdoc(function).split())


def reference():
    text = ("# Python: reference\n\nMade from the package by `tests/python/make_stubs.py --write`; a test "
            "compares it. [How to use it](README.md).\n\n## vestige\n\n")
    for name in sorted(vestige._PLACES):
        text += entry(name, getattr(vestige, name))
    for module in (export, external, lab, loggers):
        name = module.__name__
        text += f"## {name}\n\n{inspect.getdoc(module)}\n\n"
        for item in module.__all__:
            text += entry(item, getattr(module, item))
    text += ("## vestige.metrics\n\nFormulas, sources and how each can mislead: [docs/metrics](../metrics/). "
             "Arrays are anything that numpy takes.\n\n```python\n")
    for line in metric_stubs().split("\n"):
        if line.startswith("def "):
            text += line.removesuffix(":") + "\n"
    return text + "```\n"


def made():
    return {os.path.join(STUBS, "metrics.pyi"): metric_stubs(),
            os.path.join(STUBS, "__init__.pyi"): package_stub(), REFERENCE: reference(),
            result_fields.MODULE: result_fields.module()}


if __name__ == "__main__":
    for path, text in made().items():
        if "--write" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            print("wrote", os.path.relpath(path, SOURCE))
        else:
            with open(path, encoding="utf-8") as file:
                print("same" if file.read() == text else "differs", os.path.relpath(path, SOURCE))
