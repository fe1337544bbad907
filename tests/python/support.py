"""What the tests of the Python package share: small evidence, the program, folders."""

import os
import tempfile
import unittest

import numpy as np

SOURCE = os.environ.get("VESTIGE_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
PROGRAM = os.environ.get("VESTIGE_PROGRAM", "vestige")
DEMO = os.path.join(SOURCE, "demo", "fashion-one")


class Case(unittest.TestCase):
    """A test with a folder of its own and errors that are compared as sentences."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def refuses(self, words, call, *arguments, **options):
        """The call raises ValueError with one sentence that has these words."""
        with self.assertRaises(ValueError) as caught:
            call(*arguments, **options)
        sentence = str(caught.exception)
        self.assertIn(words, sentence)
        self.assertNotIn("\n", sentence)


def small_arrays(seed=3, rows=60, classes=4):
    """Outputs and labels of three models; the original knows its forget rows."""
    random = np.random.default_rng(seed)
    labels = {split: random.integers(0, classes, rows) for split in ("forget", "retain", "test")}
    known = {"original": ("forget", "retain"), "retrained": ("retain",),
             "unlearned/finetune": ("retain",)}
    outputs = {}
    for model, splits in known.items():
        for split, classes_of in labels.items():
            logits = random.normal(size=(rows, classes))
            logits[np.arange(rows), classes_of] += 4 if split in splits else 1
            outputs[model, split] = logits.astype(np.float32)
    return labels, outputs


def small_evidence(vestige, seed=3):
    """The same as evidence in memory."""
    labels, outputs = small_arrays(seed)
    evidence = vestige.Evidence()
    for split, values in labels.items():
        evidence.add_rows(split, labels=values)
    for model in ("original", "retrained", "unlearned/finetune"):
        evidence.add(model, 0, **{split: outputs[model, split] for split in labels})
    return evidence
