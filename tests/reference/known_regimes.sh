#!/bin/sh
# Makes known_REGIME.npz, all regimes or those that are named: tests/reference/known_regimes.sh [REGIME ...]
# VESTIGE: the program (default build/vestige); DEVICE: cpu or cuda. About 4 minutes on one H200.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vestige=${VESTIGE:-build/vestige}
[ -d out/known ] || "${PYTHON:-python3}" "$here/known_regimes.py" make
for regime in ${*:-$("${PYTHON:-python3}" "$here/known_regimes.py" regimes)}; do
  "${PYTHON:-python3}" "$here/known_regimes.py" settings "$regime" > "out/known/$regime.settings"
  for verb in train collect; do
    tr '\n' '\0' < "out/known/$regime.settings" | xargs -0 "$vestige" $verb "$here/known_regimes.toml" --device "${DEVICE:-cpu}"
  done
  "${PYTHON:-python3}" "$here/known_regimes.py" pack "$regime"
done
