#!/usr/bin/env python3
"""Links of the documentation: none is dead, and every page can be reached from docs/README.md.

usage: links_test.py SOURCE_DIR
Checks relative links and their anchors in all Markdown pages and notebooks, names of pages in code ("docs/....md"), and
that no page is an orphan.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
NAMED = re.compile(r"(?<![\w/.])docs/[\w./-]+\.(?:md|toml|yml|svg|png|ipynb)\b")
SOURCES = (".cpp", ".h", ".in", ".py", ".pyi", ".mjs", ".js", ".sh", ".cmake", ".txt", ".toml", ".golden", ".md", "Makefile", ".ci/check", ".cff")
START = "docs/README.md"
# Pages of earlier versions, the mistakes of the self-test, and names that stand for many.
NO_SOURCE = ("CHANGELOG.md", "tests/docs/links_test.py")
PLACEHOLDERS = ("docs/methods/x.md", "docs/metrics/x.md", "docs/validation/papers/PAPER.md")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return text


def anchors_of(text):
    """As GitHub makes them: lower case, punctuation dropped, spaces to hyphens."""
    found = set(re.findall(r"(?:id|name)=\"([^\"]+)\"", text))
    seen = {}
    for title in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", FENCE.sub("", text), re.M):
        title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def links_of(text):
    return LINK.findall(CODE.sub("", FENCE.sub("", text)))


def check(root, files):
    """Problems of the tree `root` with `files`, as sentences."""
    texts = {name: text_of(os.path.join(root, name)) for name in files if name.endswith((".md", ".ipynb"))}
    anchors = {}
    problems, targets = [], {}
    for page, text in sorted(texts.items()):
        targets[page] = set()
        for link in links_of(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(root, target)):
                problems.append(f"{page}: dead link {link}")
                continue
            targets[page].add(target)
            if anchor and target in texts:
                if target not in anchors:
                    anchors[target] = anchors_of(texts[target])
                if anchor not in anchors[target]:
                    problems.append(f"{page}: {link}: {target} has no heading #{anchor}")
    reached, waiting = {START}, [START]
    while waiting:
        for target in targets.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    for name in sorted(files):
        if name.startswith("docs/") and name not in reached and name.endswith((".md", ".ipynb", ".svg", ".png")):
            problems.append(f"{name}: no page that {START} leads to links here")
    for name in sorted(files):
        if not name.endswith(SOURCES) or name in NO_SOURCE:
            continue
        try:
            text = texts.get(name) or text_of(os.path.join(root, name))
        except UnicodeDecodeError:
            continue
        for named in sorted(set(NAMED.findall(text))):
            if named not in PLACEHOLDERS and not os.path.exists(os.path.join(root, named)):
                problems.append(f"{name}: names {named}, which does not exist")
    return problems


def self_test():
    """The check itself: a small tree with one mistake of each kind."""
    with tempfile.TemporaryDirectory() as root:
        pages = {START: "[a](a.md#one-two) [gone](gone.md) [b](a.md#three) `[no](link.md)`\n",
                 "docs/a.md": "# One, two\n```\n[no](link.md)\n```\n",
                 "docs/orphan.md": "# Nobody links here\n", "code.py": "# docs/old.md\n"}
        for name, text in pages.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)) or root, exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        found = check(root, list(pages))
        expected = [f"{START}: dead link gone.md", f"{START}: a.md#three: docs/a.md has no heading #three",
                    f"docs/orphan.md: no page that {START} leads to links here",
                    "code.py: names docs/old.md, which does not exist"]
        assert found == expected, found


def files_of(root):
    """Paths below `root` that git tracks or would track; without git, all outside build folders."""
    listed = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", root, "ls-files", "--cached", "--others",
                             "--exclude-standard"], capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name), root) for folder, _, own in os.walk(root) for name in own]
    return [name for name in names if name and not re.search(r"(^|/)(vendor|build[^/]*|node_modules)/", name)
            and os.path.isfile(os.path.join(root, name))]


def main():
    self_test()
    root = sys.argv[1]
    problems = check(root, files := files_of(root))
    if len(open(os.path.join(root, "README.md"), encoding="utf-8").read().splitlines()) > 120:
        problems.append("README.md: more than 120 lines; move what is too much below docs/")
    print("\n".join(problems) or f"{sum(name.endswith('.md') for name in files)} pages: no dead link, no orphan")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
