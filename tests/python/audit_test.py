"""Audits from Python give the very results of the command line."""

import concurrent.futures
import copy
import importlib.util
import inspect
import json
import math
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import typing
import unittest
import unittest.mock

import numpy as np
from support import DEMO, PROGRAM, SOURCE, Case, small_arrays, small_evidence

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
        left_out = {skipped["group"] for skipped in audit.results["skipped"]
                    if "--memory" in skipped["reason"]["text"]}
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
        self.assertTrue(vestige.audit(DEMO, "utility", ["under", "over"]).gate["checks"])
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
        self.assertEqual(verdicts["finetune"].word, "traces_remain")
        self.assertIn("traces remain", repr(verdicts["finetune"]))
        with self.assertRaisesRegex(AttributeError, "it has variant, method"):
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
            # What a notebook asks for when it displays the chart; it fails where Altair took the wrong class.
            shown = chart.to_dict()
            wanted = json.loads(self.audit._specifications()[name])
            for key in ("mark", "layer", "facet", "encoding", "spec", "hconcat"):
                self.assertEqual(key in shown, key in wanted, f"{name}: {key}")
            self.assertTrue(chart._repr_mimebundle_(None, None), name)

    @unittest.skipIf(shutil.which("node") is None, "node draws the chart")
    def test_a_chart_of_altair_is_drawn(self):
        try:
            import altair  # noqa: F401
        except ImportError:
            self.skipTest("Altair is missing")
        with open(self.path("chart.json"), "w", encoding="utf-8") as file:
            json.dump(self.audit.plot("trade-off").to_dict(), file)
        vendor = os.path.join(SOURCE, "web", "vendor")
        code = ("const Module = require('module'), load = Module._load;"
                f"const vega = require({os.path.join(vendor, 'vega', 'vega.min.js')!r});"
                "Module._load = (name, ...rest) => name === 'vega' ? vega : load(name, ...rest);"
                f"const lite = require({os.path.join(vendor, 'vega-lite', 'vega-lite.min.js')!r});"
                f"const spec = JSON.parse(require('fs').readFileSync({self.path('chart.json')!r}));"
                "new vega.View(vega.parse(lite.compile(spec).spec), {renderer: 'none'}).toSVG()"
                ".then(text => console.log(text));")
        drawn = subprocess.run(["node", "-e", code], check=True, capture_output=True, text=True).stdout
        self.assertTrue(drawn.startswith("<svg"))
        for method in ("finetune", "retrained"):
            self.assertIn(method, drawn)

    def test_report_is_one_file_and_replaces_nothing_unasked(self):
        page = self.audit.report(self.path("page.html"))
        self.assertIn("<!doctype html>", read(page)[:20])
        self.refuses("is there already", self.audit.report, page)
        self.audit.report(page, force=True)
        self.assertEqual(os.listdir(self.folder), ["page.html"])
        self.audit.save(self.path("audit"))
        self.refuses("not empty", self.audit.save, self.path("audit"))


class Travelling(Case):
    """Results that are copied, sent by worker processes, saved and opened again."""

    @classmethod
    def setUpClass(cls):
        cls.audit = vestige.audit(DEMO)

    def same(self, other):
        self.assertEqual(other.results, self.audit.results)
        self.assertEqual(other.verdicts, self.audit.verdicts)
        self.assertEqual(repr(other), repr(self.audit))
        self.assertEqual(other.explain("finetune"), self.audit.explain("finetune"))
        self.assertEqual(other._specifications(), self.audit._specifications())
        self.assertEqual(other._audited.page(), self.audit._audited.page())
        self.assertEqual(other._repr_html_(), self.audit._repr_html_())
        if pandas is not None:
            pandas.testing.assert_frame_equal(other.rows(), self.audit.rows())
            pandas.testing.assert_frame_equal(other.samples(), self.audit.samples())

    def test_copies_and_pickles_are_the_same(self):
        inspection = vestige.Evidence(DEMO).inspect()
        for copied in (copy.deepcopy, copy.copy, lambda value: pickle.loads(pickle.dumps(value))):
            self.same(copied(self.audit))
            self.assertEqual(copied(self.audit).text(), self.audit.text())
            verdict = copied(self.audit.verdicts[0])
            self.assertEqual((verdict.word, verdict.fields), (self.audit.verdicts[0].word, self.audit.verdicts[0].fields))
            self.assertEqual(repr(copied(inspection)), repr(inspection))
            self.assertTrue(copied(inspection))

    def test_worker_processes_return_audits(self):
        for way in ("spawn", "fork"):
            with concurrent.futures.ProcessPoolExecutor(
                    2, mp_context=multiprocessing.get_context(way)) as pool:
                found = list(pool.map(vestige.audit, [DEMO, DEMO], [["utility"], ["iam"]]))
            wanted = [vestige.audit(DEMO, metrics).results["results"] for metrics in ("utility", "iam")]
            self.assertEqual([audit.results["results"] for audit in found], wanted, way)

    def test_a_saved_audit_is_opened_again(self):
        folder = self.audit.save(self.path("audit"))
        self.same(vestige.open(folder))
        self.same(vestige.open(os.path.join(folder, "results.json")))
        again = vestige.open(folder).save(self.path("again"))
        for name in ("results.json", "samples.csv", "report.html"):
            self.assertEqual(read(os.path.join(folder, name)), read(os.path.join(again, name)), name)
        self.assertIn("utility.accuracy.test", vestige.open(folder).text())
        self.assertTrue(vestige.compare(self.audit, vestige.open(folder)).quiet)

    def test_what_is_no_audit_is_refused(self):
        self.refuses("there is no audit in", vestige.open, self.path("none"))
        self.refuses("which holds evidence: audit it with vestige.audit", vestige.open, DEMO)
        self.refuses("path is of type int", vestige.open, 3)
        with open(self.path("results.json"), "w", encoding="utf-8") as file:
            file.write("{")
        self.refuses("is no JSON", vestige.open, self.folder)


class Samples(Case):
    """Scores of rows go to a table without text in between; a saved audit's come from its samples.csv."""

    def both(self, audit):
        """Columns of the live audit and of the saved one."""
        saved = vestige.open(audit.save(self.path("audit")))
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            found = [one.samples() for one in (audit, saved)]
        if pandas is not None:
            for one, records in zip((audit, saved), found):
                table = one.samples()
                self.assertEqual(list(table.columns), list(records[0]))
                for name in table.columns:
                    for left, right in zip(table[name].tolist(), (record[name] for record in records)):
                        self.assertTrue(left == right or left != left and right != right, (name, left, right))
            pandas.testing.assert_frame_equal(audit.samples(), saved.samples())
        return found

    def test_live_and_saved_are_the_same_whatever_names_hold(self):
        evidence = small_evidence(vestige)
        names = ['say "hi"', "a,b", "ünï", " spaces ", "7"] + [f"id{row}" for row in range(55)]
        evidence.add_rows("forget", ids=names, subjects=["two\nlines"] * 60)
        vestige.metric("own_logit")(lambda test: test.outputs[:, 0])
        self.addCleanup(vestige.remove_metric, "own_logit")
        live, saved = self.both(vestige.audit(evidence, ["conformal", "own_logit"]))
        self.assertEqual([record["split"] for record in live], ["forget"] * 60 + ["test"] * 60)
        self.assertEqual({record["id"] for record in live if record["split"] == "forget"}, set(names))
        self.assertEqual({record["subject"] for record in live}, {"two\nlines", ""})
        labels = {split: evidence[f"labels/{split}"].tolist() for split in ("forget", "test")}
        for record in live:
            self.assertEqual(record["label"], labels[record["split"]][record["row"]])
        sets = [name for name in live[0] if isinstance(live[0][name], str) and name not in ("split", "id", "subject")]
        self.assertTrue(sets)  # prediction sets are texts
        self.assertEqual(str(live), str(saved))

    def test_without_labels_there_is_none(self):
        random = np.random.default_rng(1)
        evidence = vestige.Evidence().settings(losses="sequence")
        for role in ("original", "retrained", "unlearned/half"):
            evidence.add(role, 0, losses={split: random.exponential(size=30) for split in ("forget", "test")})
        vestige.metric("own_loss")(lambda forget: forget.losses)
        self.addCleanup(vestige.remove_metric, "own_loss")
        live, saved = self.both(vestige.audit(evidence, ["own_loss"]))
        self.assertEqual([record["label"] for record in live], [None] * 30)
        losses = evidence["original/0/losses/forget"]
        self.assertEqual([record["own_loss.original"] for record in live], [losses[record["row"]] for record in live])
        self.assertEqual(str(live), str(saved))


class Choosing(Case):
    @classmethod
    def setUpClass(cls):
        cls.audit = vestige.audit(DEMO)

    def test_unknown_names_are_refused_with_a_suggestion(self):
        self.refuses("did you mean 'holdout_gap.probability'", self.audit.rows, "holdout_gap.true_probability")
        self.refuses("did you mean 'finetune'", self.audit.table, "utility", methods=["finetne"])
        self.refuses("did you mean 'utility.accuracy.test'", self.audit.summary, ["utility.acuracy.test"])
        rows = self.audit.rows("utility.accuracy", methods=["finetune"])
        if pandas is not None:
            self.assertEqual(set(rows.metric), {f"utility.accuracy.{split}" for split in ("forget", "retain", "test")})
            self.assertEqual(set(rows.method), {"finetune"})

    def test_verdicts_complete_and_have_annotations(self):
        verdict = self.audit.verdicts[0]
        names = set(dir(verdict))
        self.assertTrue({"word", "method", "share_left", "tests", "sentence"} <= names)
        kinds = typing.get_type_hints(vestige.Verdict)
        self.assertIn("over_forgotten", typing.get_args(kinds["word"]))
        self.assertEqual(set(kinds), set(verdict.fields))
        from vestige import metrics
        self.assertEqual(list(inspect.signature(metrics.auc_interval).parameters), ["positives", "negatives", "level"])
        self.assertEqual(inspect.signature(metrics.auc_interval).parameters["level"].default, 0.95)

    def test_share_left_is_the_gap_between_retrained_and_original(self):
        """By hand from the rows: (method - retrained) / (original - retrained)."""
        gaps = {}
        for row in self.audit.results["results"]:
            if row["metric"] == "holdout_gap.probability" and row["control"] != "constant":
                gaps[row["subject"]["method"] or row["subject"]["role"]] = row["value"]
        for method, share in self.audit.share_left.items():
            wanted = (gaps[method] - gaps["retrained"]) / (gaps["original"] - gaps["retrained"])
            self.assertAlmostEqual(share, wanted, places=6)

    def test_summary_is_the_mean_over_models(self):
        evidence = vestige.Evidence()
        accuracies = {"original": [], "retrained": [], "finetune": []}
        for name in range(3):
            labels, outputs = small_arrays(seed=3)
            other = small_arrays(seed=10 + name)[1]
            for role in ("original", "retrained", "unlearned/finetune"):
                # Other noise for every model, the same labels.
                shifted = {split: outputs[role, split] + 0.3 * name * other[role, split] for split in labels}
                evidence.add(role, name, **shifted)
                accuracies[role.split("/")[-1]].append((shifted["test"].argmax(1) == labels["test"]).mean())
        for split, values in labels.items():
            evidence.add_rows(split, labels=values)
        audit = vestige.audit(evidence, ["utility"])
        summary = audit.summary(["share_left", "utility.accuracy.test"])
        if pandas is None:
            return
        frame = summary.frame().set_index("method")
        pandas.testing.assert_frame_equal(pickle.loads(pickle.dumps(audit)).summary(["utility.accuracy.test"]).frame(),
                                          audit.summary(["utility.accuracy.test"]).frame())
        for group, values in accuracies.items():
            self.assertAlmostEqual(frame.loc[group, "utility.accuracy.test"], np.mean(values), places=12)
            self.assertAlmostEqual(frame.loc[group, "utility.accuracy.test std"], np.std(values, ddof=1), places=12)
        self.assertEqual(list(frame["share_left"][["original", "retrained"]]), [1, 0])
        values = summary.values()
        self.assertEqual(list(values[(values.method == "finetune") & (values.metric == "utility.accuracy.test")].value),
                         accuracies["finetune"])
        mean, std = np.mean(accuracies["finetune"]), np.std(accuracies["finetune"], ddof=1)
        self.assertIn(f"| {mean:.4f} ± {std:.4f} |", summary.to_markdown())
        self.assertIn(rf"{mean:.4f} $\pm$ {std:.4f} \\", summary.to_latex())
        self.assertIn(r"utility.accuracy.test", summary.to_latex())
        self.refuses("spread is 'sd'", audit.summary, spread="sd")

    def test_figures_need_matplotlib(self):
        self.refuses("there is no figure 'roc': this audit has summary, gaps", self.audit.figure, "roc")
        without = vestige.audit(DEMO, ["utility"])  # verdicts rest on gaps, which were not asked for
        self.refuses("there is no figure 'gaps': this audit has summary;", without.figure, "gaps")
        with unittest.mock.patch.dict(sys.modules, {"matplotlib": None, "matplotlib.figure": None}):
            with self.assertRaisesRegex(ImportError, "audit.figure needs matplotlib"):
                self.audit.figure("summary")
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed: figures were not drawn")
        axes = self.audit.figure("summary").axes[0]
        points = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
        self.assertEqual(points, list(self.audit.share_left.values()))


class OnArrays(Case):
    def test_holdout_gap_is_the_audit_s(self):
        random = np.random.default_rng(5)
        # As many examples of every class in both splits: the audit compares class by class.
        labels = {split: np.arange(60) % 4 for split in ("forget", "test")}
        outputs = {}
        for role, sure in (("original", 3), ("retrained", 0), ("unlearned/finetune", 1)):
            for split in labels:
                outputs[role, split] = random.normal(size=(60, 4))
                outputs[role, split][np.arange(60), labels[split]] += 1 + (sure if split == "forget" else 0)
        given = {role: {split: outputs[role, split] for split in ("forget", "test")}
                 for role in ("original", "retrained", "unlearned/finetune")}
        found = vestige.holdout_gap(method=given["unlearned/finetune"], retrained=given["retrained"],
                                    original=[given["original"]], labels=labels)

        def gap(role):
            """Mean probability of the label, forget minus test, by numpy."""
            means = []
            for split in ("forget", "test"):
                logits = outputs[role, split].astype(float)
                p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
                means.append(p[np.arange(60), labels[split]].mean())
            return means[0] - means[1]

        retrained = gap("retrained")
        self.assertAlmostEqual(found.gaps["original"], gap("original"), places=6)
        self.assertAlmostEqual(found.share_left, (gap("unlearned/finetune") - retrained) / (gap("original") - retrained),
                               places=6)
        self.assertLess(found.interval[0], found.share_left)
        self.assertIn(found.word, ("traces_remain", "not_decided"))
        self.refuses("method has no 'test'", vestige.holdout_gap, method={"forget": [[0, 1]]}, retrained=given["retrained"],
                     original=given["original"], labels=labels)

    def test_attacks_from_logits_by_their_definitions(self):
        labels, outputs = small_arrays()
        target, y = outputs["original", "forget"], labels["forget"]
        random = np.random.default_rng(0)
        shadows = random.normal(size=(5, 60, 4))

        def log_odds(logits):
            p = np.exp(np.asarray(logits, float))
            own = p[..., np.arange(60), y]
            return np.log(own / (p.sum(axis=-1) - own))

        np.testing.assert_allclose(vestige.logits_to_confidence(target, y), log_odds(target), rtol=1e-9)
        out = log_odds(shadows)
        z = (log_odds(target) - out.mean(axis=0)) / out.std(axis=0)
        erf = np.vectorize(math.erf)
        np.testing.assert_allclose(vestige.lira(target, shadows, y), (1 + erf(z / np.sqrt(2))) / 2, atol=1e-9)
        scores = vestige.iam(target, shadows, y, original=target + 1)
        self.assertTrue(((scores >= 0) & (scores <= 1)).all())
        # RMIA by its sums: ratios of softmax probabilities to (1 + a) / 2 mean + (1 - a) / 2.
        population = random.normal(size=(30, 4))
        beside, classes = random.normal(size=(5, 30, 4)), random.integers(0, 4, 30)

        def ratios(logits, models, of):
            rows = np.arange(len(of))
            p = [np.exp(one) / np.exp(one).sum(axis=1, keepdims=True) for one in (np.asarray(logits, float), *models)]
            p = [one[rows, of] for one in p]
            return p[0] / (0.65 * np.mean(p[1:], axis=0) + 0.35)

        wanted = (ratios(target, shadows, y)[:, None] / ratios(population, beside, classes) > 1).mean(axis=1)
        np.testing.assert_allclose(vestige.rmia(target, shadows, y, population=population, population_shadows=beside,
                                                population_labels=classes), wanted)
        self.refuses("shadows have shape", vestige.lira, target, shadows[:, :3], y)
        self.refuses("labels go from", vestige.lira, target, shadows, y + 9)


class Frameworks(Case):
    """Attacks and aggregations that are functions."""

    @staticmethod
    def one_threshold(unlearned, retrained):
        """All single thresholds, the side by the medians: the first attack of the competition paper."""
        positive, negative = unlearned, retrained
        if np.median(retrained) > np.median(unlearned):
            positive, negative = retrained, unlearned
        cuts = np.unique(np.concatenate([positive, negative]))
        return ([(negative >= cut).mean() for cut in cuts], [(positive < cut).mean() for cut in cuts])

    def test_an_attack_of_the_user_gives_the_epsilons_of_the_core(self):
        random = np.random.default_rng(4)
        unlearned, retrained = random.normal(0.7, 1, (20, 15)), random.normal(0, 1, (20, 15))
        unlearned[:, 0] += 100  # separated
        from vestige import metrics
        wanted = [found.single for found in metrics.epsilons(unlearned, retrained)]
        found = vestige.epsilon_framework(unlearned, retrained, attack=self.one_threshold, aggregate=np.nanmedian)
        np.testing.assert_allclose(found.epsilons, wanted, atol=1e-12)
        self.assertEqual(found.epsilons[0], 50)
        self.assertAlmostEqual(found.score, np.nanmedian(wanted))
        usual = vestige.epsilon_framework(unlearned, retrained)
        self.assertAlmostEqual(usual.score, metrics.forget_quality(unlearned, retrained).score.value)
        for attack, words in ((lambda a, b: 3, "it must return (fpr, fnr)"),
                              (lambda a, b: ([0.1], [0.1, 0.2]), "two arrays of equal length"),
                              (lambda a, b: a[99], "attack failed on example 0: IndexError: index 99 is out of bounds"),
                              (lambda a, b: a.sort(), "attack failed on example 0: ValueError: sort array is read-only"),
                              (lambda a, b: ([1.1], [0.1]), "rates outside 0 to 1 on example 0")):
            self.refuses(words, vestige.epsilon_framework, unlearned, retrained, attack=attack)
        self.refuses("aggregate failed: ZeroDivisionError", vestige.epsilon_framework, unlearned, retrained,
                     aggregate=lambda epsilons: 1 / 0)
        self.refuses("return one number", vestige.epsilon_framework, unlearned, retrained, aggregate=lambda e: e)

    def test_miau_of_the_original_and_of_the_retrained_model(self):
        """docs/metrics/miau.md: 0.1007 for the original itself, 99.8993 for the retrained model."""
        original = {"forget": 0.9, "retain": 0.95, "test": 0.5}
        retrained = {"forget": 0.5, "retain": 0.96, "test": 0.52}
        attack = lambda first, second: 0.5 + abs(first - second) / 2  # noqa: E731
        for method, wanted in ((original, 0.1007), (retrained, 99.8993)):
            found = vestige.miau_framework(attack, original=original, retrained=retrained, unlearned=method)
            self.assertAlmostEqual(found.score, wanted, places=4)
        self.refuses("return an accuracy from 0 to 1", vestige.miau_framework, lambda a, b: 70, original=original,
                     retrained=retrained, unlearned=original)
        self.refuses("attack returned 'high' on original, forget against retain", vestige.miau_framework, lambda a, b: "high",
                     original=original, retrained=retrained, unlearned=original)
        self.refuses("attack failed on original, forget against retain: KeyError: 3", vestige.miau_framework,
                     lambda a, b: {}[3], original=original, retrained=retrained, unlearned=original)
        self.refuses("unlearned lacks 'test'", vestige.miau_framework, attack, original=original, retrained=retrained,
                     unlearned={"forget": 1, "retain": 1})


class Importing(Case):
    def test_nothing_heavy_is_imported_before_it_is_used(self):
        """So that `import vestige` is quick, and works where none of them is installed."""
        code = ("import sys; before = set(sys.modules); import vestige; dir(vestige);"
                "print(sorted({name.split('.')[0] for name in set(sys.modules) - before} - {'vestige'}"
                " - set(sys.stdlib_module_names)), 'vestige._core' in sys.modules)")
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(said.stdout.strip(), "[] False")


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
        self.refuses("policy is empty", vestige.audit, DEMO, policy="")
        self.refuses("policy is empty", vestige.audit, DEMO, policy=[])
        self.refuses("says nothing about forgetting", vestige.audit, DEMO, policy=["over"])
        self.refuses("seed is -1", vestige.audit, DEMO, seed=-1)
        self.refuses("seed is 1.5: give a whole number", vestige.audit, DEMO, seed=1.5)
        self.refuses("memory is '4': give a number", vestige.audit, DEMO, memory="4")
        self.refuses("threads is -3", vestige.audit, DEMO, threads=-3)
        with self.assertRaisesRegex(ValueError, "^metrics: there is no metric"):
            vestige.audit(DEMO, "ima")
        unlabelled = vestige.Evidence()
        unlabelled.add("original", 0, forget=np.zeros((3, 2)))
        self.refuses('Give 3 class numbers by evidence.add_rows("forget", labels=...)', vestige.audit, unlabelled)

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
        self.refuses('evidence["original/0/test"]', vestige.audit, evidence)

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
