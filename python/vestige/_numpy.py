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
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise ValueError("the array has masked values, which would be taken for numbers: leave those rows "
                             "out, or give the values without a mask")
        value = value.data
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty(0, object)  # rows of different lengths
    if array.dtype == object:
        raise ValueError("rows of different lengths or something else than numbers and texts were "
                         "given: give one number, or as many numbers, for every row")
    return array
