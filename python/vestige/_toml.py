"""evidence.toml from a dictionary: texts, numbers, booleans and one level of tables."""

from __future__ import annotations

import json


def toml_text(settings):
    """Plain keys first, tables after them."""
    plain = [f"{key} = {_value(value)}\n" for key, value in settings.items()
             if not isinstance(value, dict)]
    tables = [f"\n[{key}]\n" + "".join(f"{json.dumps(str(name))} = {_value(item)}\n"
                                       for name, item in value.items())
              for key, value in settings.items() if isinstance(value, dict)]
    return "".join(plain + tables)


def _value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return repr(value)
    raise ValueError(f"settings hold texts, numbers, true and false, not {type(value).__name__}")
