"""Metric functions of Vestige on plain arrays: numpy in, numbers and small results out.

Names, formulas and defaults are those of the C++ library (docs/metrics); ``in`` is called ``fitted``.
"""

from __future__ import annotations

from vestige._compiled import core

_functions = core().metrics
__all__ = sorted(name for name in dir(_functions) if not name.startswith("_"))
globals().update({name: getattr(_functions, name) for name in __all__})
