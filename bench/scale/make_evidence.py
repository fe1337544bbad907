#!/usr/bin/python3
"""Evidence of any size in the shape of ImageNet-1k: float16 logits of 1,000 classes.

make_evidence.py FOLDER --gigabytes 40
make_evidence.py FOLDER --rows 50000,50000,10000 --classes 100 --models original=1,retrained=1,unlearned/finetune=1,shadow=1

Fifteen models say something of all rows: forget (a tenth of the training rows), retain, test (a
twenty-seventh of all). Four each are originals, retrained ones and unlearned ones
(unlearned/finetune), two are shadow models and one is untrained; the number of rows follows from
the size, and 40 GB are ImageNet's. A row is noise and, at its label, a
bump that is higher by mean for rows that the model was trained on; finetune keeps a third of the
originals' surplus on forget rows. The noise is cut from one block at random places, because drawing
40 GB of it would take longer than the audit. --rows, --classes and --models make other shapes.
"""

import argparse
import os
import sys

import numpy as np

ROWS_AT_ONCE = 8192
TEST_SHARE = 50_000 / 1_331_167  # ImageNet's validation rows among all
MEAN_BUMP, SURPLUS, SPREAD = 8.0, 3.0, 3.0  # of 1,000 classes: at ln(1000) + 1/2 = 7.4 p of the label is 1/2

MODELS = {"original": 4, "retrained": 4, "unlearned/finetune": 4, "shadow": 2, "random": 1}


def mean_bump(role, split, classes):
    """At the label: shadow models saw none of the rows, an untrained one knows nothing."""
    if role == "random":
        return None
    kept = {"original": 1.0, "unlearned/finetune": 1 / 3}.get(role, 0.0)
    share = {"forget": kept, "retain": 0.0 if role == "shadow" else 1.0, "test": 0.0}[split]
    return MEAN_BUMP + np.log(classes / 1000) + SURPLUS * share


def write_outputs(path, labels, classes, mean, difficulty, noise, stream):
    """One split of one model; difficulty is the rows' own and the same for all models."""
    rows = len(labels)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        header = {"descr": "<f2", "fortran_order": False, "shape": (rows, classes)}
        np.lib.format.write_array_header_1_0(file, header)
        for first in range(0, rows, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, rows - first)
            place = int(stream.integers(0, noise.size - count * classes))
            block = noise[place : place + count * classes].copy().reshape(count, classes)
            if mean is not None:
                bump = mean + SPREAD * difficulty[first : first + count] + stream.normal(0, 1, count)
                block[np.arange(count), labels[first : first + count]] += bump.astype(np.float16)
            file.write(block.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--gigabytes", type=float, default=2.0, help="of logits, 10^9 bytes (default: 2)")
    parser.add_argument("--rows", metavar="F,R,T", help="forget, retain and test rows (default: by --gigabytes)")
    parser.add_argument("--classes", type=int, default=1000, help="columns of the logits (default: 1000)")
    parser.add_argument(
        "--models",
        default=",".join(f"{role}={count}" for role, count in MODELS.items()),
        help="how many of each role (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (default: 1)")
    given = parser.parse_args()
    if os.path.exists(given.folder) and os.listdir(given.folder):
        sys.exit(f"{given.folder} is not empty: give a new folder")
    classes = given.classes
    models_of = {role: int(count) for role, count in (part.split("=") for part in given.models.split(","))}
    if given.rows:
        forget, retain, test = (int(count) for count in given.rows.split(","))
    else:
        rows = int(given.gigabytes * 1e9 / (2 * classes * sum(models_of.values())))
        test = int(rows * TEST_SHARE)
        forget = (rows - test) // 10
        retain = rows - test - forget
    counts = {"forget": forget, "retain": retain, "test": test}

    stream = np.random.default_rng(given.seed)
    noise = stream.standard_normal((ROWS_AT_ONCE + 1024) * classes, dtype=np.float32).astype(np.float16)
    labels, difficulty = {}, {}
    os.makedirs(os.path.join(given.folder, "labels"))
    for split, count in counts.items():
        labels[split] = stream.integers(0, classes, count)
        difficulty[split] = stream.standard_normal(count)
        np.save(os.path.join(given.folder, "labels", split + ".npy"), labels[split].astype(np.int16))

    for role, models in models_of.items():
        for model in range(models):
            for split in counts:
                path = os.path.join(given.folder, role, str(model), split + ".npy")
                mean = mean_bump(role, split, classes)
                write_outputs(path, labels[split], classes, mean, difficulty[split], noise, stream)
    print(f"{given.folder}: {sum(models_of.values())} models, " + ", ".join(f"{n} {s}" for s, n in counts.items()) + " rows")


if __name__ == "__main__":
    main()
