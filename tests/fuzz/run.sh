#!/bin/sh
# Builds one fuzz target with clang in a folder of its own and runs it for a bounded time from a copy
# of its corpus: run.sh TARGET BUILD_FOLDER [SECONDS]. TARGET all: builds every one and runs none;
# with VESTIGE_FUZZ_BUILT, nothing is built.
set -eu
target=$1
build=$2
seconds=${3:-10}
here=$(cd "$(dirname "$0")" && pwd)
compiler=${VESTIGE_CLANG:-clang++-14}
if [ -z "${VESTIGE_FUZZ_BUILT:-}" ]; then
  cmake -S "$here/../.." -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=None -DVESTIGE_FUZZ=ON -DVESTIGE_BENCH=OFF -DVESTIGE_SANITIZE= \
    -DVESTIGE_LAB=OFF -DVESTIGE_DATA=OFF >/dev/null
  if [ "$target" = all ]; then exec cmake --build "$build" --target fuzz; fi
  cmake --build "$build" --target "${target}_fuzz"
fi
# The copy, not the committed corpus, takes what the run finds.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/corpus/$target" "$work/corpus"
cd "$work"
if ! "$build/tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
  -print_final_stats=1 -verbosity=1 corpus >log 2>&1; then
  tail -n 60 log
  for found in crash-* oom-* timeout-* leak-*; do
    if [ -f "$found" ]; then
      cp "$found" "$build/"
      echo "the input that did it: $build/$found"
    fi
  done
  exit 1
fi
tail -n 8 log
