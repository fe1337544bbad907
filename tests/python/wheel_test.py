"""A wheel, installed into a fresh virtual environment without network, works and is light."""

import glob
import os
import re
import shutil
import subprocess
import sys
import time
import unittest
import zipfile

from support import DEMO, SOURCE, Case

try:
    import skbuild  # noqa: F401
    import wheel  # noqa: F401
except ImportError:
    raise SystemExit(77)


class Wheel(Case):
    def test_built_installed_and_used(self):
        # A copy, so that the build leaves nothing in the source folder.
        source = self.path("source")
        shutil.copytree(SOURCE, source, ignore=lambda folder, names: [
            name for name in names if os.path.abspath(folder) == os.path.abspath(SOURCE) and
            name not in ("python", "CMakeLists.txt", "pyproject.toml", "setup.py", "README.md")])
        environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        environment.pop("PYTHONPATH", None)
        self.run_quietly([sys.executable, "-m", "pip", "wheel", ".", "--no-build-isolation",
                          "--no-deps", "-w", self.path("wheel")], source, environment)
        (wheel,) = glob.glob(self.path("wheel", "*.whl"))
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(vestige VERSION (\S+)", file.read()).group(1)
        self.assertEqual(os.path.basename(wheel).split("-")[:2], ["vestige", version])
        self.assertLess(os.path.getsize(wheel), 15e6)
        names = zipfile.ZipFile(wheel).namelist()
        for wanted in ("vestige/__init__.py", "vestige/py.typed", "vestige/metrics.pyi",
                       "vestige/export/pytorch.py"):
            self.assertIn(wanted, names)
        self.assertEqual(len([name for name in names if "/_core." in name and ".so" in name]), 1)
        # numpy is the system's; nothing is fetched.
        self.run_quietly([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip",
                          self.path("venv")], source, environment)
        python = self.path("venv", "bin", "python")
        self.run_quietly([sys.executable, "-m", "pip", "--python", python, "install", "--no-deps",
                          wheel], self.folder, environment)
        code = ("import vestige; print(vestige.__file__, vestige.__version__, "
                f"vestige.audit({DEMO!r}, 'utility').grade)")
        said = self.run_quietly([python, "-c", code], self.folder, environment).split()
        self.assertTrue(said[0].startswith(self.path("venv")))
        self.assertEqual(said[1:], [version, "B"])

    def run_quietly(self, command, folder, environment):
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout[-2000:] + ran.stderr[-2000:])
        return ran.stdout


class Import(Case):
    def test_import_takes_less_than_a_fifth_of_a_second(self):
        # The least of five, beside an empty start of Python: the machine may be busy.
        def least(code):
            times = []
            for _ in range(5):
                start = time.perf_counter()
                subprocess.run([sys.executable, "-c", code], check=True)
                times.append(time.perf_counter() - start)
            return min(times)

        self.assertLess(least("import vestige") - least("pass"), 0.2)

    def test_export_needs_no_compiled_part(self):
        code = ("import sys; sys.modules['vestige._core'] = None; import numpy as np; "
                "import vestige; from vestige.export import collect; evidence = vestige.Evidence(); "
                "evidence.add('original', 0, forget=collect(lambda x: x, (np.eye(3), [0, 1, 2]))); "
                f"evidence.save({self.path('evidence')!r}); evidence.inspect()")
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("ImportError: vestige's compiled part cannot be loaded", ran.stderr)
        self.assertTrue(os.path.exists(self.path("evidence", "original", "0", "forget.npy")))


if __name__ == "__main__":
    unittest.main()
