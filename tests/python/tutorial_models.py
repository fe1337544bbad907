"""The models and data that the documentation's Python talks about."""

import numpy as np
import torch
from causal import Bigrams, Tokenizer
from torch import nn
from torch.utils.data import TensorDataset


def names():
    """A memorising original, a retrained and an unlearned model on small random data."""
    random = np.random.default_rng(7)
    centres = random.normal(size=(4, 40))

    def draw(count):
        labels = random.integers(0, 4, count)
        inputs = 0.3 * centres[labels] + random.normal(size=(count, 40))
        return TensorDataset(torch.tensor(inputs, dtype=torch.float32), torch.tensor(labels))

    sets = {"forget_set": draw(100), "retain_set": draw(200), "test_set": draw(300)}

    def trained(*parts):
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 4))
        inputs, labels = (torch.cat([part.tensors[place] for part in parts]) for place in (0, 1))
        steps = torch.optim.Adam(model.parameters(), 0.01)
        for _ in range(150):
            steps.zero_grad()
            nn.functional.cross_entropy(model(inputs), labels).backward()
            steps.step()
        return model

    both = trained(sets["forget_set"], sets["retain_set"])
    return {**sets, "original": both, "unlearned": both, "retrained": trained(sets["retain_set"]),
            "language_model": Bigrams(), "tokenizer": Tokenizer()}
