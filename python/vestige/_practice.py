"""What acts on results: comparison, gate, dossier and its check, ledger."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile

from vestige import _files
from vestige._audit import Audit, check_policy, names_of
from vestige._compiled import core


def read_results(path):
    """``results.json`` of an earlier audit, or its folder, as a dictionary."""
    with open(_results_file(path, "results"), encoding="utf-8") as file:
        return json.load(file)


def compare(before, after):
    """What changed from one audit to the next, as ``vestige compare`` says it.

    Each is an ``Audit``, a results.json or a folder that holds one.
    """
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_on_disk(given, place))
                 for place, given in (("before", before), ("after", after))]
        names = [place if isinstance(given, Audit) else os.fspath(given)
                 for place, given in (("before", before), ("after", after))]
        fields, text, quiet = core().compare(*paths, *names)
    return Comparison(json.loads(fields), text, quiet)


class Comparison:
    """Two audits side by side; ``changes`` is what ``vestige compare --json`` prints of them."""

    def __init__(self, changes, text, quiet):
        self.changes = changes
        self.quiet = quiet  # nothing that a reader must act on changed
        self._text = text

    def __repr__(self):
        return self._text


def gate(results, policy=None, *, junit=None, summary=None):
    """Checks results against a policy, as ``vestige gate`` does; true if it passed.

    ``results`` is an ``Audit``, a results.json or a folder that holds one; ``policy`` a policy file, or a
    list of conditions that no verdict may meet, ["under", "undecided"]; without one every method must be
    forgotten (``vestige gate --default``). ``junit`` and ``summary`` name files for CI
    systems, which are replaced.
    """
    file = isinstance(policy, (str, os.PathLike))
    words = [] if file else names_of(policy, "policy")
    check_policy(policy)
    with _on_disk(results, "results") as path:
        fields, text, xml, markdown = core().gate(path, os.fspath(policy) if file else "", words)
    for target, content in ((junit, xml), (summary, markdown)):
        if target is not None:
            _files.write_text(os.fspath(target), content, force=True)
    return Gate(json.loads(fields), text)


class Gate:
    """The outcome of a policy; true if it passed."""

    def __init__(self, fields, text):
        self.fields = fields
        self._text = text

    @property
    def passed(self):
        """Whether every check passed."""
        return self.fields["passed"]

    @property
    def checks(self):
        """One dictionary per rule and method: rule, method, passed, findings."""
        return self.fields["checks"]

    def __bool__(self):
        return self.passed

    def __repr__(self):
        return self._text


def dossier(out, results, evidence, *, policy=None, key=None, signer="", with_evidence=False, force=False):
    """Files an audit as a folder or one zip (``out`` ends in .zip), as ``vestige dossier`` does.

    ``results`` is the folder of ``Audit.save``, ``evidence`` the path that was audited; ``key`` is a private
    Ed25519 key in PEM to sign with, and ``signer`` says who does. Returns the path.
    """
    if isinstance(results, Audit):
        raise ValueError("results is an audit in memory: give the folder that audit.save(folder) wrote, "
                         "so that tables and page are filed too")
    core().write_dossier(os.fspath(out), results=_results_file(results, "results"), evidence=os.fspath(evidence),
                         policy=_path(policy), key=_path(key), signer=signer, with_evidence=with_evidence,
                         force=force)
    return os.fspath(out)


def verify(path, *, key=None, evidence=None, ledger=None, allow_unchecked=(), threads=0):
    """Checks a dossier, as ``vestige verify`` does; true if it is valid.

    ``key`` is the signer's public key or certificate in PEM. With ``evidence``, or evidence in the dossier,
    every number is computed again. ``ledger`` is the ledger whose head the dossier states. What was not
    checked makes a dossier incomplete, unless ``allow_unchecked`` names the part: ["signature"].
    """
    fields, text = core().verify(os.fspath(path), key=_path(key), evidence=_path(evidence), ledger=_path(ledger),
                                 allow_unchecked=names_of(allow_unchecked, "allow_unchecked"), threads=threads)
    return Verification(json.loads(fields), text)


class Verification:
    """What was checked in a dossier; true if every part was checked and is valid."""

    def __init__(self, fields, text):
        self.findings = fields["findings"]  # what, outcome (valid, invalid, not_checked), reason
        self.valid = fields["valid"]
        self.outcome = fields["outcome"]  # valid, incomplete or invalid
        self._text = text

    def __bool__(self):
        return self.valid

    def __repr__(self):
        return self._text


class Ledger:
    """The history of audits in one file, each line with the hash of the one before.

    ``Ledger(path)`` checks every line of a file that exists; ``add`` appends an audit and makes the file if
    there is none.
    """

    def __init__(self, path):
        self._path = os.fspath(path)
        self.entries, self.head, self._text, self._page = [], "", "no audit yet", ""
        if os.path.exists(self._path):
            self._read()

    def add(self, results):
        """Appends an ``Audit``, a results.json or a folder that holds one; its place, from 1."""
        with _on_disk(results, "results") as path:
            place = core().append_to_ledger(self._path, path)
        self._read()
        return place

    def report(self, path, *, force=False):
        """Writes the page with the history, one file that opens from disk."""
        if not self.entries:
            raise ValueError(f"{self._path} holds no audit yet: add one first")
        return _files.write_text(os.fspath(path), self._page, force)

    def __len__(self):
        return len(self.entries)

    def __repr__(self):
        return self._text

    def _read(self):
        fields, self._text, self._page = core().read_ledger(self._path)
        fields = json.loads(fields)
        self.entries, self.head = fields["entries"], fields["head"]


def _path(value):
    return "" if value is None else os.fspath(value)


def _results_file(given, what):
    if not isinstance(given, (str, os.PathLike)):
        raise ValueError(f"{what} is of type {type(given).__name__}: give an Audit, a results.json or the "
                         "folder of an audit")
    path = os.fspath(given)
    if os.path.isdir(path):
        path = os.path.join(path, "results.json")
    if not os.path.exists(path):
        raise ValueError(f"{path} does not exist: give results.json or the folder of an audit")
    return path


@contextlib.contextmanager
def _on_disk(given, what):
    """The path of a results.json, for an audit in memory a passing one."""
    if not isinstance(given, Audit):
        yield _results_file(given, what)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(given._text)
        yield path
