"""Audits into MLflow, Weights & Biases or TensorBoard, where these are installed."""

from __future__ import annotations

import importlib
import math
import os
import tempfile

__all__ = ["to_mlflow", "to_tensorboard", "to_wandb", "values"]


def values(audit):
    """{"finetune/utility.accuracy.test": 0.91, "original/...": 0.93, ...}: every defined number.

    Methods, original and retrained models are sent. A metric that is unreliable on this evidence has
    "unreliable/" before its name ("finetune/unreliable/mia.auc"), so that nobody reads it as a result.
    Of several settings of a metric the first one is taken, as the short table does; of several models
    the mean stands in results.json's ``lines`` and is taken from there.
    """
    found = {}
    for row in [*audit.results.get("lines", []), *audit.results["results"]]:
        subject = row["subject"]
        group = subject["method"] if subject["role"] == "unlearned" else subject["role"]
        if group not in ("original", "retrained") and subject["role"] != "unlearned":
            continue
        value = row["value"]
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            continue
        mark = "unreliable/" if row["status"] == "unreliable" else ""
        found.setdefault((group, row["metric"]), (f"{group}/{mark}{row['metric']}", float(value)))
    return dict(found.values())


def to_mlflow(audit, *, prefix="vestige/"):
    """Numbers, verdicts and the page into the active run."""
    mlflow = _installed("mlflow")
    for name, value in values(audit).items():
        mlflow.log_metric(prefix + name, value)
    for verdict in audit.verdicts:
        mlflow.set_tag(f"{prefix}{verdict.method}/verdict", verdict.word)
    with tempfile.TemporaryDirectory() as folder:
        mlflow.log_artifacts(audit.save(os.path.join(folder, "audit")), "vestige")


def to_wandb(audit, run=None, *, prefix="vestige/"):
    """Numbers, verdicts and the page into a run, by default the current one."""
    wandb = _installed("wandb")
    run = run or wandb.run
    if run is None:
        raise ValueError("there is no run of Weights & Biases: call wandb.init() first, or give run=")
    run.log({prefix + name: value for name, value in values(audit).items()})
    for verdict in audit.verdicts:
        run.summary[f"{prefix}{verdict.method}/verdict"] = verdict.word
    run.log({prefix + "report": wandb.Html(audit._audited.page())})


def to_tensorboard(audit, writer, *, step=0, prefix="vestige/"):
    """Numbers and verdicts into a ``SummaryWriter`` of torch.utils.tensorboard or tensorboardX."""
    if not hasattr(writer, "add_scalar"):
        raise ValueError("give a SummaryWriter: torch.utils.tensorboard.SummaryWriter(folder)")
    for name, value in values(audit).items():
        writer.add_scalar(prefix + name, value, step)
    for verdict in audit.verdicts:
        writer.add_text(f"{prefix}{verdict.method}/verdict", f"**{verdict.word}** {verdict.sentence}",
                        step)


def _installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ValueError(f"{name} is not installed: 'pip install {name}', then call this again") from None
