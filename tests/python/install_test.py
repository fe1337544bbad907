"""`cmake --install` puts the package where a Debian system looks for modules, and it works there."""

import os
import subprocess
import sys
import unittest

from support import DEMO, Case


class Install(Case):
    def test_installed_like_a_debian_package(self):
        build = os.environ.get("VESTIGE_BUILD")
        if not build:
            self.skipTest("needs a build folder")
        subprocess.run(["cmake", "--install", build, "--prefix", self.path("usr"), "--component",
                        "python3-vestige"], check=True, capture_output=True)
        modules = self.path("usr", "lib", "python3", "dist-packages")
        self.assertIn("metrics.pyi", os.listdir(os.path.join(modules, "vestige")))
        code = f"import vestige; print(vestige.__file__, vestige.audit({DEMO!r}, 'utility').grade)"
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": modules}).stdout.split()
        self.assertEqual(said, [os.path.join(modules, "vestige", "__init__.py"), "B"])


if __name__ == "__main__":
    unittest.main()
