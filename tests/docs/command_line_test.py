#!/usr/bin/env python3
"""docs/reference/command-line.md is what the program's own help says.

usage: command_line_test.py VESTIGE PAGE [--write]
"""

import re
import subprocess
import sys

VERBS = ("audit", "inspect", "import openunlearning", "import scores", "report", "gate", "compare", "ledger", "dossier", "verify",
         "metrics", "conformance", "demo", "completion")
HEAD = """# Command line

Made from the program's own help; a test compares it. Verbs of the training lab (`train`, `unlearn`, `collect`, `bench` and others) show theirs with
`vestige VERB --help`; their recipes are described in [the lab](../lab/recipes.md). [Exit codes](../concepts/troubleshooting.md#exit-codes).
"""


def help_of(program, verb):
    return subprocess.run([program, *verb.split(), "--help"], check=True, capture_output=True, text=True).stdout


def cell(text):
    return text.replace("|", "\\|")


def page_of(verb, text):
    """The help of one verb as Markdown: sentence, usage, a table for each list of options."""
    lines = text.split("\n")
    made = [f"## vestige {verb}", "", lines[0] + ".", ""]
    items = []

    def table():
        if items:
            made.extend(["| | |", "|---|---|", *(f"| `{cell(name)}` | {cell(about)} |" for name, about in items), ""])
            items.clear()

    for line in lines[1:]:
        if line.startswith("Exit codes:"):
            break
        if line.startswith("Usage: "):
            made.extend([f"`{line[len('Usage: '):]}`", ""])
        elif re.fullmatch(r"[A-Z][A-Za-z ]*:", line):
            table()
            made.extend([f"**{line[:-1]}**", ""])
        elif re.match(r"  \S", line):
            name, _, about = line.strip().partition("  ")
            if name != "-h,--help":
                items.append([name, about.strip()])
            else:
                items.append(None)
        elif line.strip() and items and items[-1] is not None:
            items[-1][1] = f"{items[-1][1]} {line.strip()}".strip()
        if items and items[-1] is None:
            items.pop()
    table()
    return "\n".join(made)


def main():
    program, path = sys.argv[1:3]
    page = HEAD + "\n" + "\n".join(page_of(verb, help_of(program, verb)) for verb in VERBS)
    page = page.rstrip("\n") + "\n"
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    with open(path, encoding="utf-8") as file:
        if file.read() != page:
            sys.exit(f"{path} is not what the program's help says: run make command-line")
    options = re.findall(r"^\| `(--[\w-]+)", page, re.M)
    if len(options) < 100 or not all(re.search(r"\| \S", line) for line in page.split("\n") if line.startswith("| `")):
        sys.exit(f"{len(options)} options were read from the help, or some without a meaning")


if __name__ == "__main__":
    main()
