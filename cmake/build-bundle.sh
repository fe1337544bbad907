#!/bin/sh
# Builds vestige and vestige-lab from a bundle (make bundle) against the LibTorch of an installed
# PyTorch: ./build-bundle.sh [BUILD], default build. Needs CMake, a C++20 compiler and python3 with
# torch; nothing is installed, nothing needs root.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/build}
sources=${VESTIGE_SOURCES:-$here/vestige}
torch=${TORCH_PREFIX:-$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')} || {
  echo "python3 has no torch: install PyTorch, or set TORCH_PREFIX to LibTorch's share/cmake" >&2
  exit 2
}
generator=$(command -v ninja > /dev/null && echo Ninja || echo 'Unix Makefiles')
# RPATH and not RUNPATH, so that libraries find each other too.
cmake -S "$sources" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$here/deps;$torch" -DOPENSSL_ROOT_DIR="$here/deps" \
  -DEigen3_DIR="$here/deps/share/eigen3/cmake" \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags \
  -DVESTIGE_LAB=ON -DVESTIGE_MPI=OFF -DVESTIGE_TESTS=${VESTIGE_TESTS:-OFF} -DVESTIGE_BENCH=${VESTIGE_BENCH:-OFF}
# TARGETS: what to build instead of everything.
if [ "${VESTIGE_BENCH:-OFF}" = ON ]; then TARGETS=${TARGETS:-all benchmarks}; fi
cmake --build "$build" -j "${JOBS:-$(nproc)}" ${TARGETS:+--target $TARGETS}
"$build/vestige" --version
