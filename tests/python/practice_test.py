"""Gate, comparison, dossier and ledger from Python say what the command line says; requests are judged."""

import json
import os
import subprocess
import unittest

import numpy as np
from support import DEMO, PROGRAM, Case, small_arrays, small_evidence

import vestige


def program(*arguments, code=0):
    """What the program prints."""
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert ran.returncode == code, ran.stderr
    return ran.stdout


class Comparisons(Case):
    def test_compare_says_what_the_program_says(self):
        one = vestige.audit(small_evidence(vestige), "utility")
        # The same labels; the method is now the original itself.
        labels, outputs = small_arrays()
        evidence = vestige.Evidence()
        for split, values in labels.items():
            evidence.add_rows(split, labels=values)
        for model in ("original", "retrained", "unlearned/finetune"):
            source = model if model == "retrained" else "original"
            evidence.add(model, 0, **{split: outputs[source, split] for split in labels})
        other = vestige.audit(evidence, "utility")
        folders = [one.save(self.path("one")), other.save(self.path("other"))]
        ran = subprocess.run([PROGRAM, "compare", *folders, "--json"], check=True, capture_output=True)
        compared = vestige.compare(*folders)
        self.assertEqual([compared.changes], json.loads(ran.stdout))
        self.assertFalse(compared.quiet)
        ran = subprocess.run([PROGRAM, "compare", *folders], check=True, capture_output=True, text=True)
        self.assertEqual(repr(compared), ran.stdout)
        changes = vestige.compare(one, other).changes
        self.assertEqual((changes["before"], changes["after"]), ("before", "after"))
        self.assertEqual(changes["moved"], compared.changes["moved"])
        self.assertTrue(vestige.compare(one, folders[0]).quiet)
        unrelated = vestige.audit(small_evidence(vestige, seed=4), "utility")
        self.refuses("not about the same data", vestige.compare, one, unrelated)
        self.refuses("give an Audit", vestige.compare, one, 3)
        self.refuses("results.json", vestige.compare, one, self.path("nowhere"))


class Gates(Case):
    def test_gate_says_what_the_program_says(self):
        folder = vestige.audit(DEMO, "utility").save(self.path("audit"))
        with open(self.path("policy.toml"), "w", encoding="utf-8") as file:
            file.write('utility_loss = 0.02\n[verdicts]\nabsent = ["under"]\n')
        results = os.path.join(folder, "results.json")
        files = ["--junit", self.path("cli.xml"), "--summary", self.path("cli.md")]
        said = json.loads(program("gate", results, self.path("policy.toml"), "--json", *files, code=3))
        gate = vestige.gate(folder, self.path("policy.toml"), junit=self.path("python.xml"),
                            summary=self.path("python.md"))
        self.assertEqual(gate.fields, said)
        self.assertFalse(gate)
        self.assertEqual(repr(gate), program("gate", results, self.path("policy.toml"), code=3))
        for ending in ("xml", "md"):
            with open(self.path("cli." + ending)) as one, open(self.path("python." + ending)) as other:
                self.assertEqual(one.read(), other.read())

    def test_an_audit_in_memory_is_held_against_words(self):
        audit = vestige.audit(DEMO, "utility")
        gate = vestige.gate(audit, ["under"])
        self.assertEqual(gate.fields, vestige.audit(DEMO, "utility", ["under"]).gate)
        self.assertEqual(gate.passed, all(check["passed"] for check in gate.checks))
        self.refuses("undr", vestige.gate, audit, ["undr"])
        self.refuses("policy is empty", vestige.gate, audit, [])
        self.refuses("policy is empty", vestige.gate, audit, "")
        self.assertEqual(vestige.gate(audit).fields["policy"], "default")
        self.refuses("does not exist", vestige.gate, self.path("none"), ["under"])
        self.refuses("results is of type int", vestige.gate, 3, ["under"])


class Dossiers(Case):
    def test_a_dossier_is_valid_until_a_byte_changes(self):
        evidence = small_evidence(vestige).save(self.path("evidence"))
        # Families that the memory leaves out must be left out again when numbers are computed again.
        audit = vestige.audit(evidence, memory=0.000001)
        self.assertTrue([skipped for skipped in audit.results["skipped"] if "--memory" in skipped["reason"]["text"]],
                        audit.results["skipped"])
        folder = audit.save(self.path("audit"))
        path = vestige.dossier(self.path("filed.zip"), folder, evidence, with_evidence=True)
        self.assertEqual(vestige.verify(path).outcome, "incomplete")  # nobody signed
        found = vestige.verify(path, allow_unchecked=["signature"])
        self.assertTrue(found, found)
        self.assertIn("computed again", repr(found))
        self.assertEqual(repr(found), program("verify", path, "--allow-unchecked", "signature"))
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"?")
        found = vestige.verify(path)
        self.assertFalse(found.valid)
        self.assertTrue([finding for finding in found.findings if finding["outcome"] == "invalid"])
        self.refuses("exists: give --force", vestige.dossier, path, folder, evidence)
        self.refuses("audit.save", vestige.dossier, self.path("other"), audit, evidence)
        self.refuses("does not exist", vestige.verify, self.path("none"))


class Ledgers(Case):
    def test_audits_are_appended_and_a_changed_line_is_found(self):
        path = self.path("ledger.jsonl")
        ledger = vestige.Ledger(path)
        self.assertEqual(len(ledger), 0)
        self.refuses("holds no audit yet", ledger.report, self.path("page.html"))
        for place, seed in enumerate((3, 4), start=1):
            self.assertEqual(ledger.add(vestige.audit(small_evidence(vestige, seed), "utility")), place)
        said = json.loads(program("ledger", path, "--json"))
        self.assertEqual((ledger.head, ledger.entries), (said["head"], said["entries"]))
        self.assertEqual(repr(ledger), program("ledger", path))
        ledger.report(self.path("page.html"))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("finetune", "fineture", 1))
        self.refuses("ledger.jsonl", vestige.Ledger, path)


class Requests(Case):
    def test_requests_in_memory_are_judged_as_on_disk(self):
        evidence = small_evidence(vestige)
        names = ["A"] * 30 + ["B"] * 20 + [None] * 10
        evidence.requests(names, dates=["2026-10-02"] * 60)
        in_memory = vestige.audit(evidence, "utility")
        evidence.save(self.path("evidence"))
        on_disk = vestige.audit(self.path("evidence"), "utility")
        self.assertEqual(in_memory.results["requests"], on_disk.results["requests"])
        self.assertTrue(in_memory.results["requests"])
        rows = in_memory.requests()
        records = rows if isinstance(rows, list) else rows.to_dict("records")
        self.assertEqual({(row["request"], row["examples"], row["date"]) for row in records},
                         {("A", 30, "2026-10-02"), ("B", 20, "2026-10-02")})
        self.assertEqual(len(vestige.audit(small_evidence(vestige), "utility").requests()), 0)

    def test_requests_by_id_and_refusals(self):
        evidence = small_evidence(vestige).add_rows("forget", ids=np.arange(100, 160))
        evidence.requests(["A", "A"], rows=[101, 159])
        found = vestige.audit(evidence, "utility").results["requests"]["methods"][0]["requests"]
        self.assertEqual([(own["request"], own["examples"]) for own in found], [("A", 2)])
        evidence.requests(["A"], rows=[3])
        self.refuses("no forget example has the id '3'", vestige.audit, evidence, "utility")
        self.refuses("there are 1 rows and 2 requests", evidence.requests, ["A", "B"], rows=[101])


if __name__ == "__main__":
    unittest.main()
