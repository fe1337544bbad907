"""Vestige in Python; made by tests/python/make_stubs.py."""

from vestige._arrays import HoldoutGap as HoldoutGap, holdout_gap as holdout_gap, iam as iam, lira as lira, logits_to_confidence as logits_to_confidence, rmia as rmia
from vestige._audit import Audit as Audit, audit as audit, open_audit as open
from vestige._evidence import Evidence as Evidence
from vestige._framework import EpsilonScores as EpsilonScores, epsilon_framework as epsilon_framework, miau_framework as miau_framework
from vestige._metric import Split as Split, metric as metric, remove_metric as remove_metric
from vestige._practice import Comparison as Comparison, Gate as Gate, Ledger as Ledger, Verification as Verification, compare as compare, dossier as dossier, gate as gate, read_results as read_results, verify as verify
from vestige._sde import SdeRate as SdeRate, sde_framework as sde_framework
from vestige._summary import Summary as Summary
from vestige._views import Inspection as Inspection, Verdict as Verdict
from vestige import export as export, external as external, lab as lab, loggers as loggers, metrics as metrics

__version__: str
