"""Records as a pandas DataFrame where pandas is installed."""

from __future__ import annotations

import csv
import io
import re

_GUARDED = re.compile("'+[=+@\\-\t\r]")


def frame(records):
    """A DataFrame; without pandas the list of dictionaries itself."""
    try:
        import pandas
    except ImportError:
        return records
    return pandas.DataFrame.from_records(records)


def frame_of_csv(text, texts, whole):
    """A table of the program: columns of texts, of whole numbers (empty: none), the others numbers."""
    try:
        import pandas
    except ImportError:
        return [{key: _value(_unguarded(value), key in texts, key in whole) for key, value in row.items()}
                for row in csv.DictReader(io.StringIO(text))]
    if not text:
        return pandas.DataFrame()
    table = pandas.read_csv(io.StringIO(text), dtype={name: str for name in texts}, keep_default_na=False,
                            na_values={name: [""] for name in whole}, low_memory=False)
    for column in set(texts) & set(table.columns):
        table[column] = table[column].map(_unguarded)
    for column in table.columns.difference([*texts, *whole]):
        if table[column].dtype == object:
            numbers = pandas.to_numeric(table[column].where(table[column] != ""), errors="coerce")
            if numbers.notna().sum() == (table[column] != "").sum():
                table[column] = numbers
    for column in set(whole) & set(table.columns):
        if table[column].dtype != "int64" and table[column].isna().any():
            table[column] = table[column].astype(object).where(table[column].notna(), None)
    return table


def _unguarded(value):
    """Without the apostrophe that keeps a spreadsheet from taking a text for a formula."""
    return value[1:] if isinstance(value, str) and _GUARDED.match(value) else value


def _value(value, text, whole):
    if text:
        return value
    if whole:
        return int(value) if value else None
    try:
        return float(value) if value else float("nan")
    except ValueError:
        return value
