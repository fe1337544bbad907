"""Records and columns as a pandas DataFrame where pandas is installed."""

from __future__ import annotations


def _pandas():
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def frame(records, columns=None):
    """A DataFrame; without pandas the list of dictionaries itself."""
    pandas = _pandas()
    return records if pandas is None else pandas.DataFrame.from_records(records, columns=columns)


def frame_of_columns(columns):
    """The same from {name: array or list}."""
    pandas = _pandas()
    if pandas is not None:
        # None stays None: pandas would make a missing whole number a nan.
        return pandas.DataFrame({name: pandas.Series(values, dtype=object) if isinstance(values, list) else values
                                 for name, values in columns.items()})
    values = [column if isinstance(column, list) else column.tolist() for column in columns.values()]
    return [dict(zip(columns, row)) for row in zip(*values)]
