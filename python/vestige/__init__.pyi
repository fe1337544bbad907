"""Vestige in Python; made by tests/python/make_stubs.py."""

from vestige._audit import Audit as Audit, Comparison as Comparison, audit as audit, compare as compare, read_results as read_results
from vestige._evidence import Evidence as Evidence, Inspection as Inspection
from vestige import export as export, external as external, lab as lab, loggers as loggers, metrics as metrics

__version__: str
