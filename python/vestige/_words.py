"""Sentences of the program in the words of Python: arguments in the place of options and files."""

import re

_ARGUMENTS = ("metrics", "methods", "exclude", "seed", "threads", "memory", "policy", "title", "keep-going")


def in_python(sentence, evidence):
    """An error of an audit or inspection, as somebody who typed no command would expect it."""
    sentence = re.sub(r"--([a-z-]+)", lambda option: option[1].replace("-", "_") if option[1] in _ARGUMENTS else option[0],
                      sentence)
    sentence = sentence.replace(f"vestige inspect {evidence._path or evidence._name}", "evidence.inspect()")
    if evidence._path is None:
        sentence = re.sub(r"Add labels/([\w.]+)\.npy with ([\d,]+) class numbers",
                          r'Give \2 class numbers by evidence.add_rows("\1", labels=...)', sentence)
        sentence = re.sub(r"\b((?:[\w.]+/)+[\w.]+?)\.npy\b", r'evidence["\1"]', sentence)
        sentence = re.sub(r"\bevidence\.toml\b", "evidence.settings(...)", sentence)
    return sentence
