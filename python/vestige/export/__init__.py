"""Collecting what models say: outputs, labels, ids and activations in one pass.

Needs numpy and the model's own framework, not the compiled part of vestige.
"""

from __future__ import annotations

import sys

from vestige._collected import Collected, TokenOutputs
from vestige.export import _rows
from vestige.export.callables import collect_callable
from vestige.export.huggingface import collect_causal

__all__ = ["Collected", "TokenOutputs", "collect", "collect_callable", "collect_causal"]


def collect(model, data, **options):
    """One pass of a model over one split of rows.

    A ``torch.nn.Module`` takes a Dataset or DataLoader (options of ``export.pytorch.collect_torch``);
    anything with ``predict_proba`` and any callable takes (inputs, labels) (options of
    ``collect_callable``).
    """
    _rows.check_model(model)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        from vestige.export.pytorch import collect_torch

        return collect_torch(model, data, **options)
    return collect_callable(model, data, **options)
