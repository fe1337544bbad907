"""Verbs as subprocesses, and loggers that stand in for those of the field."""

import os
import stat
import sys
import types
import unittest
from unittest import mock

from support import DEMO, Case, small_evidence

import vestige
from vestige import lab, loggers


class Verbs(Case):
    def stand_in(self, body):
        """A program in place of the lab."""
        path = self.path("vestige-lab")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + body)
        os.chmod(path, stat.S_IRWXU)
        return mock.patch.dict(os.environ, {"VESTIGE_LAB": path})

    def test_options_become_flags(self):
        with self.stand_in('printf "%s\\n" "$@"; echo working >&2'):
            said = lab.unlearn("r.toml", methods=["a", "b"], set={"train.epochs": 3}, quiet=True,
                               threads_per_model=2, force=False, pool=None, progress=False)
        self.assertEqual(said.split("\n")[:-1], ["unlearn", "r.toml", "--methods", "a,b", "--set",
                                                 "train.epochs=3", "--quiet", "--threads-per-model", "2"])

    def test_errors_are_sentences(self):
        with self.stand_in("echo 'vestige: r.toml: no such file' >&2; exit 2"):
            self.refuses("r.toml: no such file", lab.train, "r.toml", progress=False)
        with self.stand_in("exit 1"):
            with self.assertRaisesRegex(RuntimeError, "ended with code 1"):
                lab.bench("r.toml", progress=False)
        with mock.patch.dict(os.environ, {"PATH": ""}), mock.patch("shutil.which", lambda _: None):
            os.environ.pop("VESTIGE_LAB", None)
            self.refuses("is not on the PATH", lab.program)

    def test_the_interpreter_is_handed_on(self):
        with self.stand_in('echo "$VESTIGE_PYTHON"'):
            self.assertEqual(lab.collect("r.toml", progress=False).strip(), sys.executable)


class Loggers(Case):
    @classmethod
    def setUpClass(cls):
        cls.audit = vestige.audit(DEMO, "utility,holdout_gap")

    def test_values_are_those_of_the_results(self):
        found = loggers.values(self.audit)
        row = [row for row in self.audit.results["results"] if row["metric"] == "utility.accuracy.test"
               and row["subject"]["method"] == "finetune"][0]
        self.assertEqual(found["finetune/utility.accuracy.test"], row["value"])
        for role in ("original", "retrained"):
            self.assertIn(f"{role}/utility.accuracy.test", found)

    def test_unreliable_numbers_are_marked(self):
        def row(role, method, metric, value, status):
            return {"subject": {"role": role, "method": method, "name": "0"}, "metric": metric,
                    "value": value, "status": status}

        audit = types.SimpleNamespace(results={"results": [
            row("unlearned", "ft", "mia.auc", 0.5, "unreliable"), row("original", "", "mia.auc", 0.7, "ok"),
            row("shadow", "", "mia.auc", 0.6, "ok"), row("retrained", "", "mia.auc", None, "undefined")]})
        self.assertEqual(loggers.values(audit), {"ft/unreliable/mia.auc": 0.5, "original/mia.auc": 0.7})

    def test_tensorboard(self):
        writer = mock.Mock()
        loggers.to_tensorboard(self.audit, writer, step=4)
        writer.add_scalar.assert_any_call("vestige/finetune/utility.accuracy.test",
                                          loggers.values(self.audit)["finetune/utility.accuracy.test"], 4)
        self.assertEqual(writer.add_text.call_count, len(self.audit.verdicts))
        self.refuses("SummaryWriter", loggers.to_tensorboard, self.audit, "runs/1")

    def test_mlflow_and_wandb(self):
        kept = []
        mlflow = types.SimpleNamespace(
            log_metric=mock.Mock(), set_tag=mock.Mock(),
            log_artifacts=lambda folder, _: kept.extend(os.listdir(folder)))
        run = mock.MagicMock()
        wandb = types.SimpleNamespace(run=run, Html=lambda text: ("page", len(text)))
        with mock.patch.dict(sys.modules, {"mlflow": mlflow, "wandb": wandb}):
            loggers.to_mlflow(self.audit)
            loggers.to_wandb(self.audit)
        self.assertIn("results.json", kept)
        self.assertEqual(mlflow.log_metric.call_count, len(loggers.values(self.audit)))
        run.summary.__setitem__.assert_any_call("vestige/finetune/verdict", "traces_remain")
        with mock.patch.dict(sys.modules, {"mlflow": None, "wandb": None}):
            self.refuses("mlflow is not installed: 'pip install mlflow'", loggers.to_mlflow, self.audit)
            self.refuses("wandb is not installed", loggers.to_wandb, self.audit)


if __name__ == "__main__":
    unittest.main()
