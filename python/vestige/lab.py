"""The lab's verbs as subprocesses: train, unlearn, collect, bench; needs the program vestige-lab."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading

__all__ = ["bench", "collect", "program", "run", "train", "unlearn"]


def program():
    """Where the lab is: $VESTIGE_LAB, or vestige-lab or vestige on the PATH."""
    named = os.environ.get("VESTIGE_LAB")
    if named:
        return named
    found = shutil.which("vestige-lab") or shutil.which("vestige")
    if not found:
        raise ValueError("the program vestige-lab is not on the PATH: build it with 'make build' and "
                         "set VESTIGE_LAB to build/vestige-lab")
    return found


def run(verb, *arguments, progress=True, **options):
    """``vestige VERB ...`` with options as keywords: threads=2 is --threads 2, quiet=True --quiet.

    Progress goes on to stderr as the lab writes it. Gives what it printed; an error of the caller
    (exit code 2) is a ``ValueError`` with the lab's sentence.
    """
    command = [program(), verb, *map(os.fspath, arguments)]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, dict):
            for key, item in value.items():
                command += [flag, f"{key}={item}"]
        elif value is True:
            command.append(flag)
        elif value is not None and value is not False:
            joined = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            command += [flag, joined]
    environment = {"VESTIGE_PYTHON": sys.executable, **os.environ}
    said = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment) as started:
        reader = threading.Thread(target=_forward, args=(started.stderr, said, progress))
        reader.start()
        try:
            printed = started.stdout.read()
        except BaseException:
            started.terminate()
            raise
        finally:
            reader.join()
        code = started.wait()
    if code == 2:
        raise ValueError((said or printed.split("\n") or [""])[-1].removeprefix("vestige: "))
    if code != 0:
        raise RuntimeError(f"{' '.join(command)} ended with code {code}: {(said or [''])[-1]}")
    return printed


def _forward(stream, said, progress):
    for line in stream:
        said.append(line.rstrip())
        if progress:
            print(line, end="", file=sys.stderr, flush=True)


def train(recipe, **options):
    """Trains the models of a recipe."""
    return run("train", recipe, **options)


def unlearn(recipe, **options):
    """Runs unlearning methods on a recipe's originals; external="file.py" adds one in Python."""
    return run("unlearn", recipe, **options)


def collect(recipe, **options):
    """Exports evidence from a recipe's models; out="evidence"."""
    return run("collect", recipe, **options)


def bench(recipe, **options):
    """A whole experiment."""
    return run("bench", recipe, **options)
