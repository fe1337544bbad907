"""The compiled part, or one sentence on why it is not there."""

from __future__ import annotations


def core():
    """The module ``vestige._core``."""
    try:
        from vestige import _core
    except ImportError as error:
        raise ImportError(
            f"vestige's compiled part cannot be loaded ({error}): install the package with "
            "'pip install .', which builds it; vestige.export and vestige.external work without"
        ) from error
    return _core
