"""The notebooks of the documentation run from top to bottom."""

import glob
import os
import unittest

from support import SOURCE, Case

try:
    import nbclient
    import nbformat
    import torch  # noqa: F401
except ImportError:
    raise SystemExit(77)


class Notebooks(Case):
    def test_every_notebook_runs(self):
        paths = sorted(glob.glob(os.path.join(SOURCE, "docs", "python", "*.ipynb")))
        self.assertEqual(len(paths), 2)
        for path in paths:
            notebook = nbformat.read(path, as_version=4)
            self.assertFalse([cell for cell in notebook.cells if cell.get("outputs")],
                             f"{path} holds outputs: clear them")
            nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3",
                                    resources={"metadata": {"path": self.folder}}).execute()
            shown = [output.get("data", {}) for cell in notebook.cells
                     for output in cell.get("outputs", [])]
            self.assertTrue([data for data in shown if "TRACES REMAIN" in data.get("text/html", "")],
                            path)


if __name__ == "__main__":
    unittest.main()
