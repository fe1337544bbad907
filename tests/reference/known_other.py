"""Packs out/NAME (made by NAME.toml) into NAME.npz: ROLE/SPLIT [models, rows, classes], labels/SPLIT.
Call: python3 tests/reference/known_other.py NAME, which is known_other or known_table. Roles: original, retrained, half
(trained with half of the forget rows). What is kept is the log-probability, not below -8, in sixteenths of a nat."""
import pathlib
import sys

import numpy as np

folder = pathlib.Path("out") / sys.argv[1]
arrays = {}
for split, most in (("forget", None), ("retain", 200), ("test", None)):
    arrays[f"labels/{split}"] = np.load(folder / "labels" / f"{split}.npy").astype(np.int64)[:most]
    for role, source in (("original", "original"), ("retrained", "retrained"), ("half", "partial/50")):
        models = sorted((folder / source).iterdir(), key=lambda path: int(path.name))
        logits = np.stack([np.load(model / f"{split}.npy")[:most] for model in models]).astype(np.float64)
        logits -= logits.max(axis=-1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
        arrays[f"{role}/{split}"] = (np.round(np.maximum(logs, -8) * 16) / 16).astype(np.float16)
np.savez_compressed(pathlib.Path(__file__).with_name(f"{sys.argv[1]}.npz"), **arrays)
for key, array in arrays.items():
    print(key, array.shape, array.dtype)
