"""Audits from Python give the very results of the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import unittest

import numpy as np
from support import DEMO, PROGRAM, Case, small_arrays, small_evidence

import vestige

try:
    import pandas
except ImportError:
    pandas = None


def comparable(text):
    """results.json without what must differ: command, start and seconds."""
    for key in ("command", "started", "seconds"):
        text, count = re.subn(rf'^  "{key}": .*$', f'  "{key}": -', text, flags=re.M)
        assert count == 1, key
    return text


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class SameAsTheProgram(Case):
    def command_line(self, *arguments):
        subprocess.run([PROGRAM, "audit", *arguments, "--out", self.path("cli"), "--quiet"],
                       check=True, capture_output=True)

    def test_results_samples_page_and_plots_are_the_same_bytes(self):
        self.command_line(DEMO)
        vestige.audit(DEMO).save(self.path("python"))
        self.assertEqual(comparable(read(self.path("cli", "results.json"))),
                         comparable(read(self.path("python", "results.json"))))
        self.assertEqual(read(self.path("cli", "samples.csv")),
                         read(self.path("python", "samples.csv")))
        plots = sorted(os.listdir(self.path("cli", "plots")))
        self.assertEqual(plots, sorted(os.listdir(self.path("python", "plots"))))
        self.assertGreater(len(plots), 3)
        for plot in plots:
            self.assertEqual(read(self.path("cli", "plots", plot)),
                             read(self.path("python", "plots", plot)), plot)
        self.assertTrue(os.path.getsize(self.path("python", "report.html")) > 100000)

    def test_options_seed_and_choice_of_metrics_are_handed_on(self):
        self.command_line(DEMO, "--metrics", "iam,utility", "--iam-levels", "50", "--seed", "7",
                          "--methods", "finetune")
        vestige.audit(DEMO, "iam,utility", options={"iam.levels": 50}, seed=7,
                      methods=["finetune"]).save(self.path("python"))
        self.assertEqual(comparable(read(self.path("cli", "results.json"))),
                         comparable(read(self.path("python", "results.json"))))

    def test_memory_leaves_out_the_same_families(self):
        """1,000 bytes are too little for the rows that miau and conformal hold as a whole."""
        evidence = small_evidence(vestige).save(self.path("evidence"))
        self.command_line(evidence, "--memory", "0.000001")
        audit = vestige.audit(evidence, memory=0.000001)
        audit.save(self.path("python"))
        self.assertEqual(comparable(read(self.path("cli", "results.json"))),
                         comparable(read(self.path("python", "results.json"))))
        self.assertEqual(audit.results["run"]["selection"]["memory"], 0.000001)
        left_out = {skipped["family"] for skipped in audit.results["skipped"]
                    if "--memory" in skipped["missing"]}
        self.assertEqual(left_out, {"miau", "conformal"})
        self.assertEqual(vestige.audit(evidence).results["run"]["selection"]["memory"], 4)
        self.refuses("give gigabytes above 0", vestige.audit, evidence, memory=0)
        inspected = [repr(vestige.Evidence(evidence).inspect(memory=memory)) for memory in (0.000001, 4)]
        self.assertIn("--memory", inspected[0])
        self.assertNotIn("--memory", inspected[1])

    def test_evidence_in_memory_gives_what_its_saved_folder_gives(self):
        evidence = small_evidence(vestige)
        evidence.settings(notes="by hand", kind="logits")
        evidence.save(self.path("evidence"))
        in_memory = vestige.audit(evidence).results
        on_disk = vestige.audit(self.path("evidence")).results
        for results in (in_memory, on_disk):
            del results["run"]
            del results["evidence"]["path"]
        self.assertEqual(json.dumps(in_memory), json.dumps(on_disk))
        self.assertEqual(len(on_disk["inputs"]), 13)

    def test_policies_close_the_gate_as_the_program_does(self):
        with open(self.path("policy.toml"), "w", encoding="utf-8") as file:
            file.write('utility_loss = 0.02\n[verdicts]\nabsent = ["under"]\n')
        ran = subprocess.run([PROGRAM, "audit", DEMO, "--metrics", "utility", "--policy",
                              self.path("policy.toml"), "--out", self.path("cli"), "--quiet"],
                             capture_output=True)
        self.assertEqual(ran.returncode, 3)
        audit = vestige.audit(DEMO, "utility", self.path("policy.toml"))
        audit.save(self.path("python"))
        self.assertEqual(comparable(read(self.path("cli", "results.json"))),
                         comparable(read(self.path("python", "results.json"))))
        self.assertFalse(audit.gate["passed"])
        self.assertTrue(vestige.audit(DEMO, "utility", ["over"]).gate["checks"])
        self.assertIsNone(vestige.audit(DEMO, "utility").gate)

    def test_one_thread_and_many_give_the_same(self):
        evidence = small_evidence(vestige)
        one, many = (vestige.audit(evidence, threads=threads).results for threads in (1, 4))
        self.assertEqual(one["results"], many["results"])


class Views(Case):
    @classmethod
    def setUpClass(cls):
        cls.audit = vestige.audit(DEMO)

    def test_verdicts_have_the_words_of_the_results(self):
        verdicts = {verdict.method: verdict for verdict in self.audit.verdicts}
        self.assertEqual(verdicts["finetune"].word, "TRACES REMAIN")
        self.assertIn("traces remain", repr(verdicts["finetune"]))
        with self.assertRaisesRegex(AttributeError, "it has method"):
            verdicts["finetune"].wrod

    def test_rows_table_and_samples_have_the_numbers_of_the_files(self):
        rows, table, samples = self.audit.rows(), self.audit.table(), self.audit.samples()
        records = self.audit.results["results"]
        if pandas is None:
            self.assertEqual(len(rows), len(records))
            return
        self.assertIsInstance(rows, pandas.DataFrame)
        self.assertEqual(len(rows), len(records))
        wanted = [row for row in records if row["metric"] == "utility.accuracy.test"
                  and row["subject"]["role"] == "retrained"][0]["value"]
        line = table[table.metric == "utility.accuracy.test"].iloc[0]
        self.assertEqual(line["retrained/0"], wanted)
        self.assertEqual(list(samples.columns[:3]), ["split", "row", "id"])
        self.assertEqual(samples["row"].dtype.kind, "i")
        forget = np.load(os.path.join(DEMO, "labels", "forget.npy"))
        rows_of_forget = samples[samples.split == "forget"]
        self.assertEqual(len(rows_of_forget), len(forget))
        self.assertTrue((forget[rows_of_forget["row"]] == rows_of_forget["label"]).all())

    def test_records_where_pandas_is_missing(self):
        code = ("import sys; sys.modules['pandas'] = None; import vestige; "
                f"rows = vestige.audit({DEMO!r}, 'utility').rows(); print(type(rows).__name__, "
                "sorted(rows[0])[:3])")
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(said.stdout.strip(), "list ['control', 'direction', 'ideal']")

    def test_one_verdict_and_all_numbers_are_what_the_program_prints(self):
        ran = subprocess.run([PROGRAM, "audit", DEMO, "--metrics", "utility", "--verdict", "finetune", "--full",
                              "--quiet"], check=True, capture_output=True, text=True)
        audit = vestige.audit(DEMO, "utility")
        self.assertIn(audit.explain("finetune"), ran.stdout)
        self.assertIn(audit.text(), ran.stdout)
        self.assertEqual(repr(audit.explain("finetune")), audit.explain("finetune"))
        self.refuses("there is no method 'finetun'", audit.explain, "finetun")
        self.assertEqual(audit.verdict("finetune").method, "finetune")

    def test_the_page_in_a_notebook_cannot_reach_out(self):
        shown = self.audit._repr_html_()
        self.assertTrue(shown.startswith("<iframe sandbox "))
        self.assertIn("TRACES REMAIN", shown)
        self.assertNotIn("<script", shown)
        self.assertIn("TRACES REMAIN", repr(self.audit))

    def test_plots_are_altair_charts_of_the_specifications(self):
        self.assertIn("trade-off", self.audit.plots())
        self.refuses("there is no plot 'trade'", self.audit.plot, "trade")
        try:
            import altair
        except ImportError:
            self.assertIn("$schema", self.audit.plot("trade-off"))
            return
        for name in self.audit.plots():
            chart = self.audit.plot(name)
            self.assertIsInstance(chart, altair.TopLevelMixin)

    def test_report_is_one_file_and_replaces_nothing_unasked(self):
        page = self.audit.report(self.path("page.html"))
        self.assertIn("<!doctype html>", read(page)[:20])
        self.refuses("is there already", self.audit.report, page)
        self.audit.report(page, force=True)
        self.assertEqual(os.listdir(self.folder), ["page.html"])
        self.audit.save(self.path("audit"))
        self.refuses("not empty", self.audit.save, self.path("audit"))


class Refusals(Case):
    def test_sentences_of_the_core_arrive(self):
        self.refuses("does not exist: give an evidence folder", vestige.audit, self.path("none"))
        self.refuses("the nearest is \"mia\"", vestige.audit, DEMO, "ima")
        self.refuses("options", vestige.audit, DEMO, options={"iam.lvels": 3})
        self.refuses("is there already", small_evidence(vestige).add, "original", 0,
                     forget=np.zeros((2, 2)))
        self.refuses("path is of type int", vestige.Evidence, 3)
        self.refuses("strict.toml", vestige.audit, DEMO, policy=self.path("strict.toml"))
        self.refuses("undr", vestige.audit, DEMO, policy=["undr"])
        self.refuses("seed is -1", vestige.audit, DEMO, seed=-1)
        self.refuses("seed is 1.5: give a whole number", vestige.audit, DEMO, seed=1.5)
        self.refuses("memory is '4': give a number", vestige.audit, DEMO, memory="4")
        self.refuses("threads is -3", vestige.audit, DEMO, threads=-3)
        with self.assertRaisesRegex(ValueError, "^metrics: there is no metric"):
            vestige.audit(DEMO, "ima")
        unlabelled = vestige.Evidence()
        unlabelled.add("original", 0, forget=np.zeros((3, 2)))
        self.refuses('give 3 class numbers by evidence.add_rows("forget", labels=...)', vestige.audit, unlabelled)

    def test_errors_of_evidence_in_memory_name_the_array(self):
        labels, outputs = small_arrays()
        evidence = small_evidence(vestige)
        broken = outputs["original", "test"].copy()
        broken[7, 1] = np.nan
        evidence.add("original", 0, replace=True, test=broken)
        inspection = evidence.inspect()
        self.assertFalse(inspection)
        self.assertEqual([check["code"] for check in inspection.checks
                          if check["severity"] == "error"], ["E-VALUES"])
        self.refuses("original/0/test.npy", vestige.audit, evidence)

    @unittest.skipIf(os.name != "posix", "signals")
    def test_ctrl_c_ends_an_audit(self):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(200):
                vestige.audit(DEMO)
        # The next one runs.
        self.assertEqual(len(vestige.audit(DEMO, "utility").verdicts), 3)


if __name__ == "__main__":
    unittest.main()
