"""Collecting from causal language models, against a table of bigram probabilities."""

import unittest

import numpy as np
from support import Case

try:
    import torch
except ImportError:
    raise SystemExit(77)

from causal import BEGIN, LETTERS, Bigrams, Tokenizer

import vestige
from vestige.export import collect_causal

TEXTS = ["Who wrote it?", "a", "The longest of all texts here", "xyz"]


def pairs(text, prefix=""):
    """(token before, token) of the scored tokens: all but the first, or all behind the prefix."""
    ids = [BEGIN] + [LETTERS.index(letter) for letter in prefix + text]
    first = 1 + len(prefix)
    return [(ids[place - 1], ids[place]) for place in range(first, len(ids))]


class Tokens(Case):
    def setUp(self):
        super().setUp()
        self.model = Bigrams()
        self.table = self.model.log_probabilities()

    def wanted(self, texts, prefixes):
        return np.array([self.table[pair] for text, prefix in zip(texts, prefixes)
                         for pair in pairs(text, prefix)])

    def test_log_probabilities_with_and_without_padding(self):
        want = self.wanted(TEXTS, [""] * 4)
        for batch_size in (1, 3, 8):
            got = collect_causal(self.model, Tokenizer(), TEXTS, batch_size=batch_size)
            np.testing.assert_allclose(got.tokens, want, rtol=1e-5)
            np.testing.assert_array_equal(got.offsets, np.cumsum([0] + [len(t) for t in TEXTS]))
        self.assertEqual(self.model.calls[0], (1, 1 + max(map(len, TEXTS))))

    def test_moments_entropy_and_rank(self):
        got = collect_causal(self.model, Tokenizer(), TEXTS)
        at = 0
        for text in TEXTS:
            for before, token in pairs(text):
                row = self.table[before]
                mean = (np.exp(row) * row).sum()
                self.assertAlmostEqual(got.mean[at], mean, 5)
                self.assertAlmostEqual(got.std[at], np.sqrt((np.exp(row) * (row - mean) ** 2).sum()), 5)
                self.assertAlmostEqual(got.entropy[at], -mean, 5)
                self.assertEqual(got.rank[at], (row > row[token]).sum())
                at += 1
        self.assertEqual(at, len(got.tokens))

    def test_a_prefix_is_context_and_is_not_scored(self):
        prefixes = ["Q: ", "", "I cannot say ", "abc"]
        got = collect_causal(self.model, Tokenizer(), TEXTS, prefixes=prefixes)
        np.testing.assert_allclose(got.tokens, self.wanted(TEXTS, prefixes), rtol=1e-5)
        got = collect_causal(self.model, Tokenizer(), TEXTS, prefixes="Q: ")
        np.testing.assert_allclose(got.tokens, self.wanted(TEXTS, ["Q: "] * 4), rtol=1e-5)

    def test_lower_cased_texts_lengths_and_generations(self):
        got = collect_causal(self.model, Tokenizer(), TEXTS, max_length=5, generate=3)
        np.testing.assert_allclose(got.lower, self.wanted([t.lower()[:5] for t in TEXTS], [""] * 4),
                                   rtol=1e-5)
        np.testing.assert_array_equal(np.diff(got.offsets), [5, 1, 5, 3])
        token, want = LETTERS.index(TEXTS[0][5]), ""  # half of its 14 tokens are the beginning
        for _ in range(3):
            token = int(self.table[token][:BEGIN].argmax())
            want += LETTERS[token]
        self.assertEqual(got.generations[0], want)

    def test_evidence_with_two_models(self):
        texts = {split: [f"{split} {letter}{letter}" for letter in LETTERS[1:30]]
                 for split in ("forget", "retain", "test")}
        evidence = vestige.Evidence()
        for seed, role in enumerate(("original", "retrained", "unlearned/finetune", "shadow")):
            evidence.add(role, 0, **{split: collect_causal(Bigrams(seed), Tokenizer(), lines)
                                     for split, lines in texts.items()})
        inspection = evidence.inspect()
        self.assertEqual(inspection.errors, 0, inspection)
        self.assertTrue([line for line in inspection.support
                         if line["family"] == "lm" and line["supported"]])
        audit = vestige.audit(evidence, "lm")
        metrics = {row["metric"] for row in audit.results["results"]}
        self.assertTrue({"lm.loss.auc", "lm.min_k_plus_plus.auc", "lm.zlib.auc"} <= metrics)
        self.refuses("others than before", evidence.add, "original", 1,
                     forget=collect_causal(Bigrams(9), Tokenizer(), texts["test"]))

    def test_refusals(self):
        collect = lambda texts, **options: collect_causal(self.model, Tokenizer(), texts, **options)
        self.refuses("one string", collect, "abc")
        self.refuses("no texts", collect, [])
        self.refuses("text 1 is of type int", collect, ["abc", 3])
        self.refuses("text 0 has no token", collect, [""])
        self.refuses("2 prefixes for 1 texts", collect, ["a"], prefixes=["b", "c"])
        with torch.no_grad():
            self.model.table[LETTERS.index("q")] = float("nan")
        self.refuses("text 1 has a log-probability that is NaN", collect, ["abc", "a q z"])

    def test_the_mode_comes_back(self):
        self.model.train()
        collect_causal(self.model, Tokenizer(), TEXTS)
        self.assertTrue(self.model.training)


if __name__ == "__main__":
    unittest.main()
