"""Eval mode while a model is looked at: dropout and batch statistics would change its answers."""

import contextlib


@contextlib.contextmanager
def evaluating(model):
    """Eval mode for the while; every module gets back the mode that it had. A model without modules stays."""
    modules = list(model.modules()) if hasattr(model, "modules") else []
    before = [(module, module.training) for module in modules]
    if hasattr(model, "eval"):
        model.eval()
    try:
        yield
    finally:
        for module, training in before:
            module.training = training
