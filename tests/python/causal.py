"""A stand-in for a causal model of Hugging Face: each token depends on the one before it alone, so
that every probability can be looked up in a table."""

import types

import numpy as np
import torch

LETTERS = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?:"
BEGIN = len(LETTERS)  #: the token that stands before every text


class Tokenizer:
    """One token per letter, with a token for the beginning, as Llama's tokenizer has one."""

    def __call__(self, text):
        return {"input_ids": [BEGIN] + [LETTERS.index(letter) for letter in text]}

    def decode(self, ids, skip_special_tokens=False):
        return "".join(LETTERS[token] for token in ids if token != BEGIN)


class Bigrams(torch.nn.Module):
    """Logits of the next token are a row of a table; what stands beyond the mask must not matter."""

    def __init__(self, seed=0):
        super().__init__()
        size = len(LETTERS) + 1
        generator = torch.Generator().manual_seed(seed)
        self.table = torch.nn.Parameter(torch.randn(size, size, generator=generator))
        self.calls = []

    @property
    def device(self):
        return self.table.device

    def forward(self, input_ids, attention_mask):
        self.calls.append(tuple(input_ids.shape))
        assert not self.training
        noise = torch.randn(self.table.shape[1]) * (attention_mask == 0)[..., None]
        return types.SimpleNamespace(logits=self.table[input_ids] + noise)

    def generate(self, input_ids, attention_mask, max_new_tokens, do_sample):
        assert not do_sample and attention_mask.shape == input_ids.shape
        for _ in range(max_new_tokens):
            following = self.table[input_ids[:, -1]][:, :BEGIN].argmax(-1, keepdim=True)
            input_ids = torch.cat([input_ids, following], 1)
        return input_ids

    def log_probabilities(self):
        """[before, token] by numpy."""
        table = self.table.detach().double().numpy()
        return table - np.log(np.exp(table).sum(1, keepdims=True))
