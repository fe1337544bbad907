#!/usr/bin/python3
"""Evidence of language models in the size of the IAM paper's: 7,753 sequences of 256 tokens.

make_evidence.py FOLDER

An original, a retrained, an unlearned and a shadow model with every array of docs/metrics/lm.md:
log-probabilities, moments, entropy, ranks, lower-cased text, gradient norms, and texts. A token's
log-probability is minus an exponential draw whose mean belongs to the position, lower where the
model was trained on the sequence (unlearned: half of the surplus).
"""

import argparse
import os
import sys

import numpy as np

TOKENS = 256
WORDS = ["vestige", "of", "the", "data", "in", "model", "after", "it", "was", "forgotten", "again", "once"]
TRAINED = {"original/0": (1, 1, 0), "retrained/0": (0, 1, 0), "unlearned/finetune/0": (0.5, 1, 0), "shadow/0": (0, 0, 0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--sequences", type=int, default=7753, help="in all three splits (default: 7753)")
    given = parser.parse_args()
    if os.path.exists(given.folder) and os.listdir(given.folder):
        sys.exit(f"{given.folder} is not empty: give a new folder")
    third = given.sequences // 3
    counts = {"forget": third, "retain": given.sequences - 2 * third, "test": third}
    stream = np.random.default_rng(1)
    os.makedirs(os.path.join(given.folder, "text"))
    difficulty = {}
    for split, count in counts.items():
        difficulty[split] = stream.gamma(4, 0.7, (count, TOKENS))
        with open(os.path.join(given.folder, "text", split + ".txt"), "w", encoding="utf-8") as file:
            for _ in range(count):
                file.write(" ".join(WORDS[place] for place in stream.integers(0, len(WORDS), TOKENS)) + "\n")
    with open(os.path.join(given.folder, "evidence.toml"), "w", encoding="utf-8") as file:
        file.write('token_moments = "weighted"\n')
    for model, trained in TRAINED.items():
        folder = os.path.join(given.folder, model, "tokens")
        os.makedirs(folder)
        for (split, count), share in zip(counts.items(), trained):
            mean = difficulty[split] * (1 - 0.3 * share)

            def save(name, values, kind=np.float16):
                np.save(os.path.join(folder, f"{split}{name}.npy"), values.ravel().astype(kind))

            values = np.minimum(mean * stream.exponential(1, mean.shape), 60)
            save("", -values)
            save(".offsets", np.arange(count + 1) * TOKENS, np.int32)
            save(".mean", -mean)
            save(".entropy", mean)
            save(".std", np.sqrt(mean))
            save(".rank", np.floor(np.exp(np.minimum(values, 10)) - 1), np.uint16)
            save(".lower", -values * stream.uniform(0.9, 1.3, mean.shape))
            save(".gradnorm", values.mean(1), np.float32)
    print(f"{given.folder}: {len(TRAINED)} models, " + ", ".join(f"{n} {s}" for s, n in counts.items()) + " sequences")


if __name__ == "__main__":
    main()
