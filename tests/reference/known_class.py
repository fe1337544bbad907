"""Packs out/known_class (made by known_class.toml) into known_class.npz: ROLE/SPLIT [models, rows, 10], labels/SPLIT.
Roles: original, retrained (without class 6), half (half of the class's rows left in training). To stay small, what is
kept is the log-probability, not below -8 (verdicts hold log-odds within 8 nats), in eighths of a nat."""
import pathlib

import numpy as np

ROWS = {"forget": 200, "retain": 200, "test": 600}
folder = pathlib.Path("out/known_class")
arrays = {}
for split, rows in ROWS.items():
    arrays[f"labels/{split}"] = np.load(folder / "labels" / f"{split}.npy").astype(np.int64)[:rows]
    for role, source in (("original", "original"), ("retrained", "retrained"), ("half", "partial/50")):
        models = sorted((folder / source).iterdir(), key=lambda path: int(path.name))
        logits = np.stack([np.load(model / f"{split}.npy")[:rows] for model in models]).astype(np.float64)
        shifted = logits - logits.max(axis=-1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        arrays[f"{role}/{split}"] = (np.round(np.maximum(logs, -8) * 8) / 8).astype(np.float16)
np.savez_compressed(pathlib.Path(__file__).with_name("known_class.npz"), **arrays)
for key, array in arrays.items():
    print(key, array.shape, array.dtype)
