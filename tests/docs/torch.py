"""Stands in for PyTorch when the tutorial is tested: just what its export lines touch."""
import numpy as np


def no_grad():
    return lambda function: function


class Tensor:
    def __init__(self, values):
        self.values = values

    def cpu(self):
        return self

    def numpy(self):
        return self.values


class Linear:
    """A softmax regression that is really fitted, so that the audit sees real memorisation."""

    def __init__(self, features, labels, classes, steps=300, seed=0):
        self.weights = 0.01 * np.random.default_rng(seed).normal(size=(features.shape[1], classes))
        target = np.eye(classes)[labels]
        for _ in range(steps):
            logits = features @ self.weights
            probability = np.exp(logits - logits.max(1, keepdims=True))
            probability /= probability.sum(1, keepdims=True)
            self.weights -= 0.5 * features.T @ (probability - target) / len(features)

    def eval(self):
        return self

    def __call__(self, tensor):
        return Tensor(tensor.values @ self.weights)
