"""Anything that holds numbers as a numpy array."""

from __future__ import annotations

import numpy as np


def as_numpy(value):
    """Of torch tensors on any device, jax arrays, lists; numpy arrays stay as they are."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    array = np.asarray(value)
    if array.dtype == object:
        raise ValueError(f"an array of type object was given (first item: {type(value[0]).__name__}): "
                         "give numbers of equal length in every row")
    return array
