"""Reading and writing .safetensors files with numpy alone."""

from __future__ import annotations

import json

import numpy as np

from vestige._files import write_safetensors

_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "i1", "I16": "<i2", "I32": "<i4",
          "I64": "<i8", "U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "BOOL": "?"}


def read(path):
    """All tensors by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[first:last], _TYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def write(path, arrays):
    """Replaces the file."""
    write_safetensors(path, arrays, {}, True)
