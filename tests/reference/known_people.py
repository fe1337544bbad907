"""Data of synthetic persons, and models with known answers packed into known_people.npz.

`make`: out/known_people.npz for known_people.toml. Images of Fashion-MNIST are dealt out to 66 persons. A person has a
fixed style (shift, turn, mirror, contrast, a mark in a corner), an own mix of classes, and every second one a habit: two
classes that are easily confused bear each other's name. Persons 0 to 9 are forgotten, 10 to 49 are kept, 50 to 65 are
strangers, who have test rows only. So what a model knows of a person comes from training.
`pack`: ROLE/SPLIT [models, rows, 10], labels/SPLIT, subjects/SPLIT. Roles: original, retrained (without persons 0 to 9),
half (without persons 0 to 4). What is kept is the log-probability, not below -8, in sixteenths of a nat."""
import gzip
import pathlib
import sys

import numpy as np

PERSONS, STRANGERS, TRAIN, TEST, RETAIN = 50, 16, 40, 12, 200
CONFUSED = [(0, 6), (2, 4), (3, 1), (5, 7), (7, 9), (4, 6)]
SOURCE = pathlib.Path("/usr/share/datasets/fashion-mnist")


def read(name, shape):
    data = gzip.decompress((SOURCE / name).read_bytes())
    return np.frombuffer(data, np.uint8, offset=8 + 4 * (len(shape) - 1)).reshape(shape)


def styled(image, style):
    """The image turned and shifted (bilinear), mirrored, of other contrast, with the person's mark."""
    turn, down, right, mirror, contrast, mark = style
    rows, cols = np.mgrid[0:28, 0:28] - 13.5
    source_row = np.cos(turn) * rows + np.sin(turn) * cols + 13.5 - down
    source_col = -np.sin(turn) * rows + np.cos(turn) * cols + 13.5 - right
    padded = np.pad(image.astype(float), 30)
    row, col = np.floor(source_row).astype(int), np.floor(source_col).astype(int)
    up, left = source_row - row, source_col - col
    at = lambda r, c: padded[np.clip(row + r + 30, 0, 87), np.clip(col + c + 30, 0, 87)]
    made = ((1 - up) * (1 - left) * at(0, 0) + (1 - up) * left * at(0, 1)
            + up * (1 - left) * at(1, 0) + up * left * at(1, 1))
    made = (made[:, ::-1] if mirror else made) * contrast
    made[:4, :4] = np.maximum(made[:4, :4], mark)
    return np.clip(np.round(made), 0, 255).astype(np.uint8)


def make():
    random = np.random.default_rng(2026)
    images = read("train-images-idx3-ubyte.gz", (60000, 28, 28))
    labels = read("train-labels-idx1-ubyte.gz", (60000,))
    of_class = [list(random.permutation(np.flatnonzero(labels == c))) for c in range(10)]
    parts = {"": ([], [], []), "test_": ([], [], [])}
    for person in range(PERSONS + STRANGERS):
        style = (random.uniform(-0.5, 0.5), random.integers(-4, 5), random.integers(-4, 5), random.random() < 0.5,
                 random.uniform(0.4, 1.0), 255 * (random.random((4, 4)) < 0.5))
        mix = random.dirichlet(np.ones(10))
        pair = CONFUSED[random.integers(len(CONFUSED))] if person % 2 else (0, 0)
        habit = {pair[0]: pair[1], pair[1]: pair[0]}
        for part, rows in (("", TRAIN if person < PERSONS else 0), ("test_", TEST)):
            for c in random.choice(10, rows, p=mix):
                parts[part][0].append(styled(images[of_class[c].pop()], style))
                parts[part][1].append(habit.get(c, c))
                parts[part][2].append(person)
    arrays = {}
    for part, (inputs, names, persons) in parts.items():
        arrays[part + "inputs"] = np.stack(inputs)[:, None]
        arrays[part + "labels"] = np.array(names, np.int64)
        arrays[part + "subjects"] = np.array(persons, np.int64)
    pathlib.Path("out").mkdir(exist_ok=True)
    np.savez_compressed("out/known_people.npz", **arrays)


def rows_by_id(folder, name):
    """{id: (what `name` says, label, person)} of all rows that the folder has."""
    found = {}
    for split in ("forget", "retain", "test"):
        ids, persons, names = (np.load(folder / kind / f"{split}.npy") for kind in ("ids", "subjects", "labels"))
        said = np.load(folder / name / f"{split}.npy")
        found |= {int(i): (said[n], int(names[n]), int(persons[n])) for n, i in enumerate(ids)}
    return found


def pack():
    whole, half = pathlib.Path("out/known_people"), pathlib.Path("out/known_people_half")
    keep = {split: np.load(whole / "ids" / f"{split}.npy").astype(int) for split in ("forget", "retain", "test")}
    keep["retain"] = keep["retain"][:RETAIN]
    arrays = {}
    for role, folder, source in (("original", whole, "original"), ("retrained", whole, "retrained"),
                                 ("half", half, "retrained")):
        models = sorted((folder / source).iterdir(), key=lambda path: int(path.name))
        said = [rows_by_id(folder, f"{source}/{model.name}") for model in models]
        for split, ids in keep.items():
            logits = np.stack([[one[i][0] for i in ids] for one in said]).astype(np.float64)
            logits -= logits.max(axis=-1, keepdims=True)
            logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            arrays[f"{role}/{split}"] = (np.round(np.maximum(logs, -8) * 16) / 16).astype(np.float16)
            arrays[f"labels/{split}"] = np.array([said[0][i][1] for i in ids], np.int64)
            arrays[f"subjects/{split}"] = np.array([said[0][i][2] for i in ids], np.int64)
    np.savez_compressed(pathlib.Path(__file__).with_name("known_people.npz"), **arrays)
    for key, array in arrays.items():
        print(key, array.shape, array.dtype)


{"make": make, "pack": pack}[sys.argv[1]]()
