"""A stand-in for a causal model of Hugging Face: each token depends on the one before it alone, so
that every probability can be looked up in a table."""

import types

import numpy as np
import torch

LETTERS = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?:"
BEGIN = len(LETTERS)  #: the token that stands before every text
END = LETTERS.index(":")  #: the token that ends an answer, where it is scored


class Tokenizer:
    """One token per letter, with a token for the beginning, as Llama's tokenizer has one."""

    bos_token_id, eos_token_id = BEGIN, END

    def __call__(self, text):
        ids = [BEGIN] if not text.startswith("<s>") else [BEGIN, BEGIN]  # as Llama 3's template does
        return {"input_ids": ids + [LETTERS.index(letter) for letter in text.removeprefix("<s>")]}

    def apply_chat_template(self, messages, tokenize, add_generation_prompt):
        assert not tokenize and add_generation_prompt and [m["role"] for m in messages] == ["user"]
        return f"<s>Q: {messages[0]['content']} A: "

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
        self.generated = []  # shapes that were continued

    @property
    def device(self):
        return self.table.device

    def forward(self, input_ids, attention_mask):
        self.calls.append(tuple(input_ids.shape))
        assert not self.training
        noise = torch.randn(self.table.shape[1]) * (attention_mask == 0)[..., None]
        return types.SimpleNamespace(logits=self.table[input_ids] + noise)

    def generate(self, input_ids, attention_mask, max_new_tokens, do_sample, pad_token_id,
                 temperature=1.0, num_return_sequences=1):
        assert attention_mask.shape == input_ids.shape and attention_mask[:, -1].all()
        assert (input_ids[attention_mask == 0] == pad_token_id).all()
        self.generated.append(tuple(input_ids.shape))
        input_ids = input_ids.repeat_interleave(num_return_sequences, 0)
        for _ in range(max_new_tokens):
            rows = self.table[input_ids[:, -1]][:, :BEGIN]
            following = (torch.multinomial((rows / temperature).softmax(-1), 1) if do_sample
                         else rows.argmax(-1, keepdim=True))
            input_ids = torch.cat([input_ids, following], 1)
        return input_ids

    def log_probabilities(self):
        """[before, token] by numpy."""
        table = self.table.detach().double().numpy()
        return table - np.log(np.exp(table).sum(1, keepdims=True))
