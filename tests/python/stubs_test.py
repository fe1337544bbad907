"""The stubs and the reference in the repository are those of the package; examples of docs run."""

import ast
import glob
import os
import re
import unittest

import make_stubs
from support import DEMO, SOURCE, Case


class Golden(Case):
    def test_stubs_and_reference_are_as_made_now(self):
        for path, text in make_stubs.made().items():
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), text, f"{path}: run tests/python/make_stubs.py --write")

    def test_stubs_are_python(self):
        for path, text in make_stubs.made().items():
            if path.endswith(".pyi"):
                tree = ast.parse(text)
                self.assertGreater(len(tree.body), 3)
        functions = [node.name for node in ast.parse(make_stubs.metric_stubs()).body
                     if isinstance(node, ast.FunctionDef)]
        self.assertGreater(len(functions), 60)


class Documentation(Case):
    def test_python_blocks_of_the_page_run_one_after_the_other(self):
        """docs/python/README.md and the five lines of README.md, in a folder of their own."""
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        for page in (("docs", "python", "README.md"), ("README.md",)):
            with open(os.path.join(SOURCE, *page), encoding="utf-8") as file:
                blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
            self.assertTrue(blocks, page)
            from tutorial_models import names

            scope = names()
            for block in blocks:
                exec(compile(block, os.path.join(*page), "exec"), scope)
            self.assertIn("audit", scope)

    def test_python_blocks_of_metric_pages_run(self):
        """In pages that have one; `evidence` is the demo's."""
        import vestige

        ran = 0
        for path in sorted(glob.glob(os.path.join(SOURCE, "docs", "metrics", "*.md"))):
            with open(path, encoding="utf-8") as file:
                blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
            for block in (block for block in blocks if "vestige.audit(evidence" in block):
                exec(compile(block, path, "exec"), {"vestige": vestige, "evidence": vestige.Evidence(DEMO)})
                ran += 1
        self.assertGreater(ran, 0)


if __name__ == "__main__":
    unittest.main()
