"""Vestige in Python; made by tests/python/make_stubs.py."""

from vestige._audit import Audit as Audit, audit as audit
from vestige._evidence import Evidence as Evidence, Inspection as Inspection
from vestige._practice import Comparison as Comparison, Gate as Gate, Ledger as Ledger, Verification as Verification, compare as compare, dossier as dossier, gate as gate, read_results as read_results, verify as verify
from vestige import export as export, external as external, lab as lab, loggers as loggers, metrics as metrics

__version__: str
