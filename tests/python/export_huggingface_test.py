"""Collecting from causal language models, against a table of bigram probabilities."""

import os
import tempfile
import types
import unittest

import numpy as np
from support import Case

try:
    import torch
except ImportError:
    raise SystemExit(77)

from causal import BEGIN, END, LETTERS, Bigrams, Tokenizer

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

    def greedy(self, token, count):
        said = ""
        for _ in range(count):
            token = int(self.table[token][:BEGIN].argmax())
            said += LETTERS[token]
        return said

    def test_generations_are_batched_and_say_what_truly_follows(self):
        prefixes = ["Q: ", "W", "I cannot say ", "abc"]
        got = collect_causal(self.model, Tokenizer(), TEXTS, prefixes=prefixes, generate=4, batch_size=3)
        self.assertEqual(got.generations, [self.greedy(LETTERS.index(p[-1]), 4) for p in prefixes])
        self.assertEqual(got.continuations, [text[:4] for text in TEXTS])
        self.assertEqual(self.model.generated, [(3, 14), (1, 2)])  # long starts first
        evidence = vestige.Evidence().add("original", 0, forget=got)
        self.assertEqual(evidence._files["text/forget.continuation.txt"], "Who\na\nThe\nxyz\n")

    def test_samples_are_drawn_from_the_seed(self):
        texts = ["abc"] * 50
        draw = lambda seed: collect_causal(self.model, Tokenizer(), texts, prefixes="Q", generate=1,
                                           samples=40, seed=seed, batch_size=8).samples
        first, again, other = draw(3), draw(3), draw(4)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual({len(row) for row in first}, {40})
        torch.manual_seed(5)
        collect_causal(self.model, Tokenizer(), texts, prefixes="Q", generate=1, batch_size=8)
        untouched = torch.rand(3)
        torch.manual_seed(5)
        draw(3)
        self.assertTrue(torch.equal(torch.rand(3), untouched))  # other random draws stay as they were
        # 2,000 draws of the token after Q: shares within five standard errors of the table.
        row = np.exp(self.table[LETTERS.index("Q")][:BEGIN])
        row /= row.sum()
        drawn = [text for own in first for text in own]
        best = int(row.argmax())
        share = np.mean([text == LETTERS[best] for text in drawn])
        self.assertLess(abs(share - row[best]), 5 * np.sqrt(row[best] * (1 - row[best]) / len(drawn)))
        self.refuses("samples=2 without generate", collect_causal, self.model, Tokenizer(), texts, samples=2)

    def test_a_chat_has_one_beginning_and_scores_the_answer(self):
        got = collect_causal(self.model, Tokenizer(), TEXTS, prefixes="who", chat=True, lower=False)
        np.testing.assert_allclose(got.tokens, self.wanted(TEXTS, ["Q: who A: "] * 4), rtol=1e-5)
        self.assertEqual(self.model.calls[0][1], 1 + len("Q: who A: ") + max(map(len, TEXTS)))
        self.refuses("chat=True needs prefixes", collect_causal, self.model, Tokenizer(), TEXTS, chat=True)

    def test_the_end_token_is_scored_where_asked(self):
        plain = collect_causal(self.model, Tokenizer(), TEXTS, lower=False)
        ended = collect_causal(self.model, Tokenizer(), TEXTS, lower=False, end_token=True)
        np.testing.assert_array_equal(np.diff(ended.offsets), np.diff(plain.offsets) + 1)
        last = LETTERS.index(TEXTS[0][-1])
        self.assertAlmostEqual(float(ended.tokens[ended.offsets[1] - 1]), self.table[last, END], 5)
        cut = collect_causal(self.model, Tokenizer(), TEXTS, lower=False, end_token=True, max_length=2)
        np.testing.assert_array_equal(np.diff(cut.offsets), [2, 2, 2, 2])  # only "a" is whole and ends

    def test_labels_mask_turns_of_a_chat(self):
        ids = [BEGIN] + [LETTERS.index(letter) for letter in "hi A: yes and B: no"]
        labels = [-100] * len(ids)
        scored = [6, 7, 8, 17, 18, 19]
        for place in scored:
            labels[place] = ids[place]
        want = np.array([self.table[ids[place - 1], ids[place]] for place in scored])
        example = {"input_ids": ids, "labels": labels}
        got = collect_causal(self.model, None, [example, example])
        np.testing.assert_allclose(got.tokens, np.tile(want, 2), rtol=1e-5)
        padded = {"input_ids": torch.tensor([[0, 0] + ids]), "labels": torch.tensor([[-100] * 2 + labels]),
                  "attention_mask": torch.tensor([[0, 0] + [1] * len(ids)])}
        np.testing.assert_allclose(collect_causal(self.model, None, [padded]).tokens, want, rtol=1e-5)
        shifted = {"input_ids": ids, "labels": labels[1:] + [-100]}
        self.refuses("labels are the tokens themselves", collect_causal, self.model, None, [shifted])
        self.refuses("all labels are -100", collect_causal, self.model, None,
                     [{"input_ids": ids, "labels": [-100] * len(ids)}])
        self.refuses("generate is for texts", collect_causal, self.model, None, [example], generate=2)

    def test_other_answers_are_scored_behind_the_same_prefix(self):
        wrong = [["me", "you"], "it", ["he", "she", "we"], "x"]
        got = collect_causal(self.model, Tokenizer(), TEXTS, prefixes="Q: ", answers={"perturbed": wrong})
        flat = ["me", "you", "it", "he", "she", "we", "x"]
        np.testing.assert_allclose(got.answers["perturbed"][""], self.wanted(flat, ["Q: "] * 7), rtol=1e-5)
        np.testing.assert_array_equal(got.answers["perturbed"][".groups"], [0, 0, 1, 2, 2, 2, 3])
        self.assertIn(".perturbed.offsets", got.arrays())
        self.refuses("answers 'wrong' are unknown", collect_causal, self.model, Tokenizer(), TEXTS,
                     answers={"wrong": wrong})
        self.refuses("at least one for each of the 4", collect_causal, self.model, Tokenizer(), TEXTS,
                     answers={"perturbed": wrong[:2]})

    def test_truth_ratio_comes_from_collected_answers(self):
        texts = {split: [f"{split} {letter}{letter}" for letter in LETTERS[1:30]]
                 for split in ("forget", "retain", "test")}
        evidence = vestige.Evidence()
        for seed, role in enumerate(("original", "retrained", "unlearned/finetune")):
            model = Bigrams(seed)
            evidence.add(role, 0, **{split: collect_causal(
                model, Tokenizer(), lines, prefixes="Q: ", lower=False, generate=3,
                answers={"perturbed": [[text[::-1], "no " + text] for text in lines]})
                for split, lines in texts.items()})
        rows = {row["metric"]: row for row in vestige.audit(evidence, "lm").results["results"]
                if row["subject"]["role"] == "unlearned"}
        table = Bigrams(2).log_probabilities()
        loss = lambda text: -np.mean([table[pair] for pair in pairs(text, "Q: ")])
        ratios = [np.exp(loss(text) - (loss(text[::-1]) + loss("no " + text)) / 2) for text in texts["forget"]]
        self.assertAlmostEqual(rows["lm.truth_ratio.forget"]["value"],
                               np.mean([min(t, 1 / t) for t in ratios]), 5)
        self.assertNotEqual(rows["lm.rouge_l.recall.forget"]["status"], "skipped")

    def test_a_second_call_goes_on_where_the_first_broke_off(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = collect_causal(self.model, Tokenizer(), TEXTS, batch_size=1, lower=False)
            self.model.calls.clear()
            forward = self.model.forward

            def breaking(**inputs):
                if len(self.model.calls) == 2:
                    raise RuntimeError("out of memory")
                return forward(**inputs)

            self.model.forward = breaking
            with self.assertRaises(RuntimeError):
                collect_causal(self.model, Tokenizer(), TEXTS, batch_size=1, lower=False, resume=folder)
            self.model.forward = forward
            self.model.calls.clear()
            got = collect_causal(self.model, Tokenizer(), TEXTS, batch_size=1, lower=False, resume=folder)
            self.assertEqual(len(self.model.calls), 2)  # two of four batches were there
            np.testing.assert_array_equal(got.tokens, whole.tokens)
            np.testing.assert_array_equal(got.rank, whole.rank)
            self.assertEqual(os.listdir(folder), [])

    def test_numbers_may_be_stored_in_half_precision(self):
        got = collect_causal(self.model, Tokenizer(), TEXTS, dtype="float16")
        self.assertEqual(got.tokens.dtype, np.float16)
        np.testing.assert_allclose(got.tokens, self.wanted(TEXTS, [""] * 4), rtol=2e-3)
        self.refuses("dtype 'bfloat16' is unknown", collect_causal, self.model, Tokenizer(), TEXTS,
                     dtype="bfloat16")

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
                         if line["group"] == "lm" and line["supported"]])
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
        self.model.config = types.SimpleNamespace(max_position_embeddings=8)
        self.refuses("text 1 has 14 tokens with its prefix and the model has 8 positions", collect,
                     ["abc", "ten letters"], prefixes="Q:")
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
