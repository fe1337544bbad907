"""Builds the wheel of the measuring core alone; everything else is in pyproject.toml."""

import os
import re

from skbuild import setup

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "CMakeLists.txt"), encoding="utf-8") as file:
    version = re.search(r"project\(vestige VERSION ([0-9.]+)", file.read()).group(1)

arguments = ["-DVESTIGE_PYTHON=ON", "-DVESTIGE_LAB=OFF", "-DVESTIGE_DATA=OFF", "-DVESTIGE_TESTS=OFF",
             "-DVESTIGE_BENCH=OFF"]
try:
    import pybind11

    arguments.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
except ImportError:  # Debian's pybind11-dev is found by CMake itself
    pass

# A build folder that has the module already, so that the test of the wheel need not compile it again.
ready = os.environ.get("VESTIGE_BUILD")
if ready:
    arguments.append(f"-DVESTIGE_BUILD={ready}")

setup(
    version=version,
    packages=["vestige", "vestige.export"],
    package_dir={"": "python"},
    package_data={"vestige": ["py.typed", "*.pyi"], "vestige.export": ["*.pyi"]},
    cmake_args=arguments,
    cmake_install_dir="python",
    cmake_install_target="install-python",
)
