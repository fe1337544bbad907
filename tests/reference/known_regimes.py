"""Models with known answers where forget examples are unlike unseen ones, or training is unlike that of known.npz.

`make`: out/known/REGIME.npz and .csv (the forget list) for known_regimes.toml, from Fashion-MNIST.
`settings REGIME`: what this regime changes in the recipe, as --set arguments.
`pack`: REGIME's evidence in out/known/REGIME becomes known_REGIME.npz beside this file: ROLE/SPLIT [models, examples,
classes] and labels/SPLIT. Roles: original, retrained, half (trained with half of the forget set). What is kept is the
log-probability, not below -8, in sixteenths of a nat. known_regimes.sh does all of it."""
import gzip
import pathlib
import sys

import numpy as np

SOURCE = pathlib.Path("/usr/share/datasets/fashion-mnist")
OUT = pathlib.Path("out/known")
TRAIN, TEST, FORGET, RETAIN = 3000, 1000, 300, 300
CNN = ["model.width=8"]
ADAM_MLP = ["model={name=\"mlp\",widths=[200,100],activation=\"tanh\"}",
            "train={epochs=40,batch=50,optimizer=\"adam\",rate=0.001}"]
BATCH_NORM = ["model={name=\"allcnn\"}",
              "train={epochs=20,batch=64,rate=0.02,momentum=0.9,schedule=\"cosine\",precision=\"tf32\"}"]
AUGMENTED = ["train={epochs=40,batch=64,rate=0.05,momentum=0.9,schedule=\"cosine\",weight_decay=0.002,crop=3,"
             "flip=true,rotation=15}"]
EARLY = ["train={epochs=8,batch=64,rate=0.02,momentum=0.9,schedule=\"cosine\"}"]  # little is learnt by heart
# Regime: (seed of the draw of examples, settings of the recipe).
REGIMES = {
    "hardest": (1, CNN),
    "hardest_mlp": (2, ADAM_MLP),
    "hardest_norm": (3, BATCH_NORM),
    "noise": (4, CNN),
    "noise_pairs": (5, CNN),
    "subgroup": (6, CNN),
    "tail": (7, CNN),
    "duplicates": (8, CNN),
    "augmented": (9, CNN + AUGMENTED),
    "norm": (10, BATCH_NORM),
    "few": (11, CNN),
    "few_hardest": (12, CNN),
    "hardest_early": (13, CNN + EARLY),
    "noise_early": (14, CNN + EARLY),
    "subgroup_early": (15, CNN + EARLY),
    "duplicates_mlp": (16, ADAM_MLP),
    "noise_mlp": (17, ADAM_MLP),
}
SWAPPED = {0: 6, 6: 0, 2: 4, 4: 2, 7: 9, 9: 7, 5: 7, 3: 1, 1: 3, 8: 5}


def read(part):
    images = gzip.decompress((SOURCE / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((SOURCE / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    return (np.frombuffer(images, np.uint8, offset=16).reshape(-1, 28, 28),
            np.frombuffer(labels, np.uint8, offset=8).astype(np.int64))


def margins(images, labels, others, other_labels, random):
    """How far the true class is ahead of the next one under a model of other examples: ridge regression on random
    rectified features. The smallest are the hardest examples."""
    weights = random.normal(size=(784, 1500)) / 28
    features = lambda x: np.maximum(0, (x.reshape(len(x), -1) / 255.0 - 0.3) @ weights)
    seen = features(others)
    targets = np.eye(10)[other_labels]
    solved = np.linalg.solve(seen.T @ seen + 10 * np.eye(seen.shape[1]), seen.T @ targets)
    scores = features(images) @ solved
    own = scores[np.arange(len(labels)), labels]
    scores[np.arange(len(labels)), labels] = -np.inf
    return own - scores.max(axis=1)


def nearly_same(images, random):
    """Shifted by a pixel, with some noise."""
    made = np.stack([np.roll(image, random.integers(-1, 2, 2), (0, 1)) for image in images]).astype(float)
    return np.clip(np.round(made + random.normal(0, 8, made.shape)), 0, 255).astype(np.uint8)


def make_one(regime, images, labels):
    random = np.random.default_rng(REGIMES[regime][0])
    order = random.permutation(len(labels))
    train, test, others = order[:TRAIN], order[TRAIN:TRAIN + TEST], order[20000:28000]
    inputs, names = images[train].copy(), labels[train].copy()
    test_inputs, test_names = images[test].copy(), labels[test].copy()
    forget = random.permutation(TRAIN)[:FORGET]
    if "hardest" in regime:
        count = 25 if regime.startswith("few") else FORGET
        forget = np.argsort(margins(inputs, names, images[others], labels[others], random))[:count]
    elif regime in ("noise", "noise_early", "noise_mlp"):
        names[forget] = (names[forget] + random.integers(1, 10, FORGET)) % 10
    elif regime == "noise_pairs":
        names[forget] = [SWAPPED[int(name)] for name in names[forget]]
    elif regime.startswith("subgroup"):  # a twelfth lies on its side, and most of those are forgotten
        for some in (inputs, test_inputs):
            some[:len(some) // 12] = np.rot90(some[:len(some) // 12], axes=(1, 2))
        forget = np.arange(200)
    elif regime == "tail":  # class c has 600 * 0.7^c examples; a third of those of the rare classes are forgotten
        pool, chosen = order[30000:], []
        for c in range(10):
            chosen.extend(pool[labels[pool] == c][:int(600 * 0.7 ** c)])
        chosen = random.permutation(chosen)
        inputs, names = images[chosen].copy(), labels[chosen].copy()
        rare = random.permutation(np.flatnonzero(names >= 5))
        forget = rare[:len(rare) // 3]
    elif regime.startswith("duplicates"):
        kept = np.setdiff1d(np.arange(TRAIN), forget)[-FORGET:]
        inputs[kept], names[kept] = nearly_same(inputs[forget], random), names[forget]
    elif regime == "few":
        forget = forget[:25]
    OUT.mkdir(parents=True, exist_ok=True)
    # Half-forgotten models lack the first half of the forget examples in the order of training.
    np.savez_compressed(OUT / f"{regime}.npz", inputs=inputs[:, None], labels=names, test_inputs=test_inputs[:, None],
                        test_labels=test_names)
    np.savetxt(OUT / f"{regime}.csv", np.sort(forget), fmt="%d", header="row", comments="")


def make(*regimes):
    images, labels = read("train")
    for regime in regimes or REGIMES:
        make_one(regime, images, labels)


def settings(regime):
    for setting in REGIMES[regime][1] + [f"seed={100 + REGIMES[regime][0]}", f"data.path={OUT}/{regime}.npz",
                                         f"forget.file={OUT}/{regime}.csv", f"pool.folder=pool/known/{regime}",
                                         f"collect.out={OUT}/{regime}"]:
        print(f"--set\n{setting}")


def pack(regime):
    folder, arrays = OUT / regime, {}
    for split, most in (("forget", None), ("retain", RETAIN), ("test", None)):
        arrays[f"labels/{split}"] = np.load(folder / "labels" / f"{split}.npy").astype(np.int64)[:most]
        for role, source in (("original", "original"), ("retrained", "retrained"), ("half", "partial/50")):
            models = sorted((folder / source).iterdir(), key=lambda path: int(path.name))
            logits = np.stack([np.load(model / f"{split}.npy")[:most] for model in models]).astype(np.float64)
            logits -= logits.max(axis=-1, keepdims=True)
            logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
            arrays[f"{role}/{split}"] = (np.round(np.maximum(logs, -8) * 16) / 16).astype(np.float16)
    np.savez_compressed(pathlib.Path(__file__).with_name(f"known_{regime}.npz"), **arrays)
    right = {f"{role}/{split}": np.mean(arrays[f"{role}/{split}"].argmax(-1) == arrays[f"labels/{split}"])
             for role in ("original", "retrained", "half") for split in ("forget", "test")}
    print(regime, {key: round(float(value), 3) for key, value in right.items()})


if sys.argv[1] == "make":
    make(*sys.argv[2:])
elif sys.argv[1] == "regimes":
    print(" ".join(REGIMES))
else:
    {"settings": settings, "pack": pack}[sys.argv[1]](sys.argv[2])
