"""Records as a pandas DataFrame where pandas is installed."""

from __future__ import annotations


def frame(records):
    """A DataFrame; without pandas the list of dictionaries itself."""
    try:
        import pandas
    except ImportError:
        return records
    return pandas.DataFrame.from_records(records)
