"""Metric functions of Vestige on plain arrays: numpy in, numbers and small results out.

Names, formulas and defaults are those of the C++ library (docs/metrics); ``in`` is called ``fitted``.
"""

from __future__ import annotations

import ast
import functools
import inspect

from vestige._compiled import core
from vestige._numpy import as_numpy

_functions = core().metrics
__all__ = sorted(name for name in dir(_functions) if not name.startswith("_"))


def _signature(text):
    """Of the first line of a compiled function's documentation."""
    function = ast.parse(f"def {text}: ...").body[0]
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    found = [(argument, default, inspect.Parameter.POSITIONAL_OR_KEYWORD) for argument, default in zip(plain, defaults)]
    found += [(argument, default, inspect.Parameter.KEYWORD_ONLY)
              for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return inspect.Signature([inspect.Parameter(
        argument.arg, kind, default=inspect.Parameter.empty if default is None else ast.literal_eval(default),
        annotation=ast.unparse(argument.annotation)) for argument, default, kind in found],
        return_annotation=ast.unparse(function.returns))


def _plain(value):
    """Tensors, also those with gradients or on another device, as arrays."""
    return as_numpy(value) if hasattr(value, "detach") else value


def _mismatch(function, arguments, options):
    """What was given and what the function takes, as one sentence instead of pybind11's list."""
    given = [type(value).__name__ for value in arguments] + [f"{key}={type(value).__name__}"
                                                             for key, value in options.items()]
    return (f"{function.__name__} does not take ({', '.join(given)}): it is "
            f"{function.__name__}{inspect.signature(function)}")


def _named(name):
    """A compiled function under a Python function, which has a signature that editors and inspect show."""
    compiled = getattr(_functions, name)
    if isinstance(compiled, type):
        return compiled

    def function(*arguments, **options):
        arguments = [_plain(value) for value in arguments]
        options = {key: _plain(value) for key, value in options.items()}
        try:
            return compiled(*arguments, **options)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            raise TypeError(_mismatch(function, arguments, options)) from None

    functools.update_wrapper(function, compiled)
    line, _, text = compiled.__doc__.strip().partition("\n")
    function.__doc__ = text.strip()
    function.__module__, function.__qualname__ = __name__, name
    function.__signature__ = _signature(line)
    return function


globals().update({name: _named(name) for name in __all__})
