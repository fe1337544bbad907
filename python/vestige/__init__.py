"""Vestige: after machine unlearning, what is left of the data in the model?

``Evidence`` holds what models said, ``audit`` measures it, ``export`` collects it from PyTorch,
scikit-learn, Hugging Face or any callable, ``metric`` makes a function of yours a metric, ``metrics`` has the single
functions. Nothing is imported
before it is used, so that ``import vestige`` is quick and ``vestige.export`` works where the compiled
part is not installed.
"""

from __future__ import annotations

import importlib

_PLACES = {
    "Audit": "vestige._audit",
    "Comparison": "vestige._practice",
    "EpsilonScores": "vestige._framework",
    "Evidence": "vestige._evidence",
    "Gate": "vestige._practice",
    "HoldoutGap": "vestige._arrays",
    "Inspection": "vestige._views",
    "Ledger": "vestige._practice",
    "SdeRate": "vestige._sde",
    "Split": "vestige._metric",
    "Summary": "vestige._summary",
    "Verdict": "vestige._views",
    "Verification": "vestige._practice",
    "audit": "vestige._audit",
    "compare": "vestige._practice",
    "dossier": "vestige._practice",
    "epsilon_framework": "vestige._framework",
    "gate": "vestige._practice",
    "holdout_gap": "vestige._arrays",
    "iam": "vestige._arrays",
    "lira": "vestige._arrays",
    "logits_to_confidence": "vestige._arrays",
    "metric": "vestige._metric",
    "miau_framework": "vestige._framework",
    "open": "vestige._audit",
    "read_results": "vestige._practice",
    "remove_metric": "vestige._metric",
    "rmia": "vestige._arrays",
    "sde_framework": "vestige._sde",
    "verify": "vestige._practice",
}
_NAMES = {"open": "open_audit"}  # what a module would hide a builtin with
_MODULES = ("export", "external", "lab", "loggers", "metrics")

__all__ = sorted([*_PLACES, *_MODULES])


def __getattr__(name):
    if name in _PLACES:
        value = getattr(importlib.import_module(_PLACES[name]), _NAMES.get(name, name))
    elif name in _MODULES:
        value = importlib.import_module("vestige." + name)
    elif name == "__version__":
        from vestige._compiled import core
        value = core().__version__
    else:
        raise AttributeError(f"module 'vestige' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__():
    return sorted([*__all__, "__version__"])
