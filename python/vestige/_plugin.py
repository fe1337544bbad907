"""``vestige audit --plugin FILE.py``: the command line hands its options over, the audit runs here."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import traceback


def main(text):
    """The exit code of the command; ``text`` is a JSON object with its options (cli/audit.cpp)."""
    given = json.loads(text)
    try:
        for number, path in enumerate(given["plugins"]):
            load(path, number)
        return _audit(given)
    except ValueError as error:
        print(f"vestige: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vestige: interrupted; nothing was written", file=sys.stderr)
        return 130


def load(path, number=0):
    """Runs a file whose functions are metrics; an error in it is one sentence."""
    from vestige._compiled import core

    before = set(core().metric_ids())
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_file_location(f"vestige_plugin_{number}", path))
    try:
        module.__spec__.loader.exec_module(module)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except BaseException as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        line = getattr(error, "lineno", None) or (frames[-1].lineno if frames else "?")
        raise ValueError(f"{path}, line {line}: {type(error).__name__}: {error}: correct the plug-in") from None
    if set(core().metric_ids()) == before:
        raise ValueError(f"{path} defines no metric: put @vestige.metric('ID') above a function")


def _audit(given):
    from vestige._audit import audit
    from vestige._practice import gate

    out = given["out"]
    if out and os.path.isdir(out) and os.listdir(out) and not given["force"]:
        raise ValueError(f"{out} is not empty: give another --out, or --force to replace earlier results")
    policy = given["policy"] or given["fail_on"] or None
    found = audit(given["path"], given["metrics"], policy, options=given["options"], methods=given["methods"],
                  exclude=given["exclude"], seed=given["seed"], threads=given["threads"], memory=given["memory"],
                  title=given["title"], keep_going=given["keep_going"], progress=not given["quiet"],
                  command=given["command"])
    if out:
        found.save(out, force=given["force"])
    decision = None
    if policy is not None:
        decision = gate(found, policy, junit=given["junit"] or None, summary=given["summary"] or None)
    if given["json"]:
        print(found._text, end="")
    else:
        if given["full"] or given["metrics"]:
            print(found.text())
        print(found.explain(given["verdict"]) if given["verdict"] else repr(found), end="")
        print(f"\nopen {out}/report.html; numbers: {out}/results.json, --full" if out
              else "\nnothing was written: give --out FOLDER; --full has all numbers")
        if decision is not None:
            print(f"\n{decision}")
    return 3 if decision is not None and not decision else 0
