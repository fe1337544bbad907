"""The notebooks of the documentation run from top to bottom, and ship with their outputs.

usage: notebooks_test.py --write: runs them and writes their outputs.
"""

import glob
import os
import sys
import tempfile
import unittest

from support import SOURCE, Case

try:
    import nbclient
    import nbformat
    import torch  # noqa: F401
except ImportError:
    raise SystemExit(77)


def ran(path, folder):
    """The notebook after a real kernel ran it."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3",
                            resources={"metadata": {"path": folder}}).execute()
    return notebook


def paths():
    return sorted(glob.glob(os.path.join(SOURCE, "docs", "python", "*.ipynb")))


def kinds(notebook):
    """Which kinds of output every cell of code shows."""
    return [[sorted(output.get("data", {"text": ""})) for output in cell.get("outputs", [])
             if output.get("name") != "stderr"] for cell in notebook.cells if cell.cell_type == "code"]


class Notebooks(Case):
    def test_every_notebook_runs_and_shows_what_it_ships_with(self):
        self.assertEqual(len(paths()), 3)
        for path in paths():
            notebook = ran(path, self.folder)
            shown = [output.get("data", {}) for cell in notebook.cells
                     for output in cell.get("outputs", [])]
            self.assertTrue([data for data in shown if "TRACES REMAIN" in data.get("text/html", "")],
                            path)
            shipped = nbformat.read(path, as_version=4)
            self.assertEqual(kinds(shipped), kinds(notebook), f"{path}: run notebooks_test.py --write")


def write():
    """Outputs of a run, without what differs from run to run."""
    for path in paths():
        with tempfile.TemporaryDirectory() as folder:
            notebook = ran(path, folder)
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
            cell.outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"
                            ] if cell.cell_type == "code" else []
            if cell.cell_type != "code":
                del cell["outputs"]
        nbformat.write(notebook, path)
        print("wrote", os.path.relpath(path, SOURCE))


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        unittest.main()
