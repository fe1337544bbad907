"""Collecting from a real causal model of transformers, built from a config without a download.

usage: huggingface_real.py [--device cuda] [--rows 256]; needs torch and transformers, not the compiled
part of vestige: PYTHONPATH=python. Prints what was compared and how long it took; any difference is an
AssertionError.
"""

import argparse
import os
import tempfile
import time

import numpy as np
import torch
import transformers

import vestige
from vestige.export import collect_causal

LETTERS = [chr(code) for code in range(32, 127)]


class Tokenizer:
    """Letters as tokens, with what collect_causal uses of a Hugging Face tokenizer."""

    def __call__(self, text):
        return {"input_ids": [len(LETTERS)] + [LETTERS.index(letter) for letter in text]}

    def decode(self, ids, skip_special_tokens=False):
        return "".join(LETTERS[token] for token in ids if token < len(LETTERS))


def hugging_face_tokenizer():
    """A real tokenizer made on the spot, where the library tokenizers can do it."""
    import tokenizers

    vocabulary = {letter: number for number, letter in enumerate(LETTERS)}
    vocabulary["<s>"] = len(LETTERS)
    inner = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", len(LETTERS))])
    inner.decoder = tokenizers.decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>")


def plain(model, tokenizer, text, prefix):
    """One text at a time, without padding: what batches must agree with."""
    ids = torch.tensor([tokenizer(prefix + text)["input_ids"]], device=model.device)
    skip = len(tokenizer(prefix)["input_ids"]) if prefix else 1
    with torch.no_grad():
        spread = model(input_ids=ids).logits[0, :-1].double().log_softmax(-1)[skip - 1:]
    own = spread.gather(1, ids[0, skip:, None])[:, 0]
    mean = (spread.exp() * spread).sum(-1)
    deviation = (spread.exp() * (spread - mean[:, None]) ** 2).sum(-1).sqrt()
    rank = (spread > own[:, None]).sum(-1)
    return [value.cpu().numpy() for value in (own, mean, deviation, rank)]


def alone(model, tokenizer, prefix, text, count):
    """Greedy continuation of one prefix, without padding: what batches must agree with."""
    ids = tokenizer(prefix + text)["input_ids"]
    start = ids[:len(tokenizer(prefix)["input_ids"])] if prefix else ids[:max(1, len(ids) // 2)]
    given = torch.tensor([start], device=model.device)
    with torch.no_grad():
        made = model.generate(input_ids=given, attention_mask=torch.ones_like(given), max_new_tokens=count,
                              do_sample=False)
    return tokenizer.decode(made[0, len(start):].tolist(), skip_special_tokens=True)


def speeds(model, tokenizer, texts, prefixes):
    """Tokens per second of collecting and of a plain batched pass; texts per second of generation,
    batched and one at a time."""
    def seconds(action):
        action()  # warm up
        if model.device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        action()
        if model.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    rows = sorted((tokenizer(prefix + text)["input_ids"] for text, prefix in zip(texts, prefixes)),
                  key=len, reverse=True)

    def forward():
        with torch.no_grad():
            for first in range(0, len(rows), 32):
                batch = rows[first:first + 32]
                ids = torch.zeros((len(batch), len(batch[0])), dtype=torch.long)
                for place, own in enumerate(batch):
                    ids[place, :len(own)] = torch.tensor(own)
                model(input_ids=ids.to(model.device)).logits.sum().item()

    collect = lambda **options: collect_causal(model, tokenizer, texts, prefixes=prefixes, batch_size=32,
                                               lower=False, progress=False, **options)
    scored, passed = seconds(collect), seconds(forward)
    batched = seconds(lambda: collect(moments=False, ranks=False, generate=12)) - seconds(
        lambda: collect(moments=False, ranks=False))
    few = min(16, len(texts))
    single = seconds(lambda: [alone(model, tokenizer, prefixes[row], texts[row], 12) for row in range(few)])
    tokens = sum(map(len, rows))
    print(f"  {tokens / scored:,.0f} tokens per second, {passed / scored:.2f} of a plain batched pass; "
          f"{len(texts) / batched:,.0f} texts per second generated, {len(texts) / batched / (few / single):.1f} "
          "times one text at a time")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--rows", type=int, default=128)
    options = parser.parse_args()
    torch.manual_seed(0)
    size = len(LETTERS) + 1
    makers = {"llama": lambda: transformers.LlamaConfig(
        vocab_size=size, hidden_size=256, intermediate_size=512, num_hidden_layers=4,
        num_attention_heads=8, num_key_value_heads=4, max_position_embeddings=512,
        bos_token_id=len(LETTERS), eos_token_id=None, pad_token_id=None),
        "gpt2": lambda: transformers.GPT2Config(
            vocab_size=size, n_embd=256, n_layer=4, n_head=8, n_positions=512,
            bos_token_id=len(LETTERS), eos_token_id=None)}
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(LETTERS, random.integers(2, 200))) for _ in range(options.rows)]
    prefixes = ["Question: " if row % 2 else "" for row in range(options.rows)]
    try:
        tokenizer = hugging_face_tokenizer()
        for text in ("", "Who wrote it?"):
            if list(tokenizer(text)["input_ids"]) != Tokenizer()(text)["input_ids"]:
                raise ValueError(f"{text!r} has other tokens")
        kind = "of tokenizers"
    except Exception as error:  # an older or newer library: the interface is what counts
        tokenizer, kind = Tokenizer(), f"stand-in ({type(error).__name__}: {error})"
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, {options.device}, "
          f"tokenizer: {kind}")
    evidence = vestige.Evidence()
    for name, (family, config) in enumerate(makers.items()):
        model = transformers.AutoModelForCausalLM.from_config(config()).to(options.device).train()
        start = time.perf_counter()
        got = collect_causal(model, tokenizer, texts, prefixes=prefixes, batch_size=32, generate=8,
                             progress=False)
        seconds = time.perf_counter() - start
        assert model.training, "the mode did not come back"
        model.eval()
        worst = 0.0
        for row in range(0, options.rows, 7):
            part = slice(got.offsets[row], got.offsets[row + 1])
            own, mean, deviation, rank = plain(model, tokenizer, texts[row], prefixes[row])
            for found, want in ((got.tokens, own), (got.mean, mean), (got.std, deviation)):
                worst = max(worst, np.abs(found[part] - want).max())
            # Equal up to ties that rounding decides.
            assert np.abs(got.rank[part] - rank).max() <= 1, (row, got.rank[part], rank)
        assert worst < 2e-3, worst
        assert len(got.generations) == options.rows
        asked = range(0, options.rows, 7)
        same = [got.generations[row] == alone(model, tokenizer, prefixes[row], texts[row], 8) for row in asked]
        # Untrained models have near ties, which rounding decides in another batch.
        assert np.mean(same) > 0.8, f"only {np.mean(same):.2f} of the batched generations are as one at a time"
        evidence.add("original", name, forget=got)
        print(f"{family}: {len(got.tokens)} tokens of {options.rows} texts in {seconds:.2f} s with "
              f"{options.rows} generations; largest difference to one text at a time {worst:.2e}, "
              f"{np.mean(same):.0%} of the generations the same")
        speeds(model, tokenizer, texts, prefixes)
    with tempfile.TemporaryDirectory() as folder:
        path = evidence.save(os.path.join(folder, "evidence"))
        files = sorted(os.path.relpath(os.path.join(where, name), path)
                       for where, _, names in os.walk(path) for name in names)
        print(f"{len(files)} files of evidence, among them {files[0]} and {files[-1]}")
    try:
        collect_causal(model, tokenizer, ["a" * 600], max_length=600, progress=False)
        raise AssertionError("a text longer than the positions was accepted")
    except ValueError as error:
        print(f"refused: {error}")


if __name__ == "__main__":
    main()
