"""What one pass over one split of rows gives."""

from __future__ import annotations

import dataclasses

import numpy as np


@dataclasses.dataclass
class Collected:
    """Outputs with the labels and ids that came with them in the same pass."""

    outputs: np.ndarray  #: [n, C]
    labels: np.ndarray | None = None  #: [n], columns of outputs
    ids: np.ndarray | None = None  #: [n]
    activations: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)  #: layer -> [n, d]
    digests: np.ndarray | None = None  #: [n] of the inputs: tells whether rows changed

    def __len__(self):
        return len(self.outputs)


@dataclasses.dataclass
class TokenOutputs:
    """What a causal language model says about the tokens of each sequence."""

    tokens: np.ndarray  #: [tokens] log-probabilities, all sequences one after the other
    offsets: np.ndarray  #: [sequences + 1] where each begins
    mean: np.ndarray | None = None  #: [tokens] mean of ln p over the vocabulary, weighted by p
    std: np.ndarray | None = None  #: [tokens]
    entropy: np.ndarray | None = None  #: [tokens] nats
    rank: np.ndarray | None = None  #: [tokens] vocabulary entries that were more probable
    lower: np.ndarray | None = None  #: log-probabilities of the lower-cased text
    lower_offsets: np.ndarray | None = None
    texts: list[str] | None = None
    generations: list[str] | None = None
    continuations: list[str] | None = None  #: what truly follows, cut like the generations
    samples: list[list[str]] | None = None  #: some continuations of each, drawn at random
    answers: dict[str, dict[str, np.ndarray]] = dataclasses.field(default_factory=dict)
    #: "perturbed" -> {"": [tokens], ".offsets": [answers + 1], ".groups": [answers]}

    def arrays(self):
        """By the suffix of their file: "" is tokens/SPLIT.npy, ".mean" tokens/SPLIT.mean.npy."""
        found = {"": self.tokens, ".offsets": self.offsets, ".mean": self.mean, ".std": self.std,
                 ".entropy": self.entropy, ".rank": self.rank, ".lower": self.lower,
                 ".lower.offsets": self.lower_offsets}
        for name, arrays in self.answers.items():
            found.update({f".{name}{suffix}": array for suffix, array in arrays.items()})
        return {suffix: array for suffix, array in found.items() if array is not None}

    def __len__(self):
        return len(self.offsets) - 1
