"""The stubs and the reference in the repository are those of the package; examples of docs run."""

import ast
import contextlib
import glob
import io
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

    def test_every_metric_page_has_a_python_example_that_prints_what_it_says(self):
        """A python block that a text block follows; `evidence` is that of the demo."""
        import vestige

        for path in sorted(glob.glob(os.path.join(SOURCE, "docs", "metrics", "*.md"))):
            with self.subTest(page=os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    examples = re.findall(r"^```python\n([^`]*)^```\n\s*^```text\n(.*?)^```", file.read(), re.M | re.S)
                self.assertTrue(examples, "the page has no Python example")
                for code, text in examples:
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(code, path, "exec"), {"evidence": vestige.Evidence(DEMO)})
                    self.assertEqual(printed.getvalue().rstrip("\n") + "\n", text)


if __name__ == "__main__":
    unittest.main()
