"""Hooks of mkdocs for the documentation's site (site/mkdocs.yml).

Folders of the navigation are expanded to their pages. CONTRIBUTING.md and CHANGELOG.md become pages. Links to other files of
the repository become the file's path. The search works from disk, where browsers load neither JSON files nor workers.
"""

import json
import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~))", re.M | re.S)


def root_of(config):
    return os.path.dirname(os.path.dirname(config["config_file_path"]))


def on_config(config):
    """A folder in `nav` stands for its pages, README.md first."""
    def expand(entry):
        if isinstance(entry, dict):
            return {title: expand_list(own) for title, own in entry.items()}
        return entry

    def pages(folder):
        found = []
        for base, folders, names in os.walk(os.path.join(config["docs_dir"], folder)):
            folders.sort()
            inside = os.path.relpath(base, config["docs_dir"])
            found += [posixpath.join(inside, name) for name in sorted(names, key=lambda name: (name != "README.md", name))
                      if name.endswith(".md")]
        return found

    def expand_list(own):
        if isinstance(own, str):
            return own if own.endswith(".md") else pages(own)
        listed = []
        for entry in own:
            is_folder = isinstance(entry, str) and not entry.endswith(".md")
            listed += pages(entry) if is_folder else [expand(entry)]
        return listed

    config["nav"] = [expand(entry) for entry in config["nav"]]
    config["nav"][-1]["Develop"] += list(ROOT_PAGES)
    return config


def on_files(files, config):
    for name in ROOT_PAGES:
        files.append(File(name, root_of(config), config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links as they stand on the site. A page's folder in the repository is docs/..., on the site without docs/."""
    in_root = page.file.src_path in ROOT_PAGES
    folder = "" if in_root else posixpath.join("docs", posixpath.dirname(page.file.src_path))

    def on_site(match):
        text, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(folder, target))
        here = posixpath.dirname(page.file.src_path) or "."
        if path in ROOT_PAGES:
            return f"[{text}]({posixpath.relpath(path, here)}{anchor})"
        if path.startswith("docs/"):
            inside = path[len("docs/"):]
            if os.path.isdir(os.path.join(config["docs_dir"], inside)) or inside.endswith((".ipynb", ".yml", ".toml")):
                return f"{text} (`{path}`)"
            return f"[{text}]({posixpath.relpath(inside, here)}{anchor})"
        return f"{text} (`{path}`)" if text != path else f"`{path}`"

    parts = FENCE.split(markdown)
    return "".join(part if number % 2 else LINK.sub(on_site, part) for number, part in enumerate(parts))


def on_post_build(config):
    """search/offline.js: the index and the search worker as texts, for pages that are opened from disk."""
    site = config["site_dir"]
    with open(os.path.join(site, "search", "search_index.json"), encoding="utf-8") as file:
        index = json.load(file)
    workers = os.path.join(site, "assets", "javascripts", "workers")
    name = next(name for name in sorted(os.listdir(workers)) if re.fullmatch(r"search\.\w+\.min\.js", name))
    with open(os.path.join(workers, name), encoding="utf-8") as file:
        worker = re.sub(r"^//# sourceMappingURL=.*$", "", file.read(), flags=re.M)
    with open(os.path.join(site, "search", "offline.js"), "w", encoding="utf-8") as file:
        file.write(f"var __search = {{index: Promise.resolve({json.dumps(index)}), "
                   f"worker: URL.createObjectURL(new Blob([{json.dumps(worker)}], {{type: 'text/javascript'}}))}};\n")
