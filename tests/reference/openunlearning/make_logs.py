"""Writes saves/: logs in the format of OpenUnlearning, with the losses of the small GPTs of ../language/gpt_articles.npz.

The totals (agg_value) are computed here with plain numpy, by the rules of locuslab/open-unlearning: mean probability, AUC of an
attack (holdout above forget, by loss or by the mean of the 40 % least probable tokens), PrivLeak against the first retrained model.
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
LOGS = {
    "original/0": "eval/tofu_small-gpt_full/evals_forget10",
    "retrained/0": "eval/tofu_small-gpt_retain90",
    "retrained/1": "eval/tofu_small-gpt_retain90_seed1",
    "retrained/2": "unlearn/tofu_small-gpt_forget10_Retrain/evals",
    "unlearned/npo/0": "unlearn/tofu_small-gpt_forget10_NPO/evals",
    "unlearned/gradient_ascent/0": "unlearn/tofu_small-gpt_forget10_GradAscent/evals",
}


def sequences(arrays, model, split):
    tokens, offsets = arrays[f"{model}/tokens/{split}"], arrays[f"{model}/tokens/{split}.offsets"]
    return [tokens[a:b].astype(float) for a, b in zip(offsets[:-1], offsets[1:])]


def rounded(value):
    return float(f"{value:.7g}")


def by_index(values, field):
    return {str(index): {field: rounded(value)} for index, value in enumerate(values)}


def auc(forget, holdout):
    above = np.asarray(holdout)[:, None] - np.asarray(forget)[None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def attack(scores):
    found = {split: {"agg_value": float(np.mean(values)), "value_by_index": by_index(values, "score")}
             for split, values in scores.items()}
    return {**found, "auc": auc(**scores), "agg_value": auc(**scores)}


def probability(losses):
    values = {str(index): {"prob": rounded(np.exp(-loss)), "avg_loss": rounded(loss)} for index, loss in enumerate(losses)}
    return {"agg_value": float(np.exp(-np.asarray(losses)).mean()), "value_by_index": values}


def log_of(arrays, model):
    said = {split: sequences(arrays, model, split) for split in ("forget", "retain", "test")}
    losses = {split: [rounded(-row.mean()) for row in rows] for split, rows in said.items()}
    lowest = {split: [rounded(-np.sort(row)[:max(1, int(len(row) * 0.4))].mean()) for row in said[split]] for split in ("forget", "test")}
    return {"forget_Q_A_Prob": probability(losses["forget"]), "retain_Q_A_Prob": probability(losses["retain"]),
            "mia_loss": attack({"forget": losses["forget"], "holdout": losses["test"]}),
            "mia_min_k": attack({"forget": lowest["forget"], "holdout": lowest["test"]})}


def main():
    arrays = np.load(HERE.parent / "language" / "gpt_articles.npz")
    reference = None
    for model, folder in sorted(LOGS.items(), key=lambda entry: entry[0] != "retrained/0"):
        log = log_of(arrays, model)
        if reference is not None:
            score, ref = 1 - log["mia_min_k"]["agg_value"], 1 - reference
            log["privleak"] = {"agg_value": (score - ref) / (ref + 1e-10) * 100}
        reference = reference if reference is not None else log["mia_min_k"]["agg_value"]
        target = HERE / "saves" / folder
        target.mkdir(parents=True, exist_ok=True)
        (target / "TOFU_EVAL.json").write_text(json.dumps(dict(sorted(log.items())), indent=1) + "\n")
        summary = {key: value["agg_value"] for key, value in sorted(log.items())}
        (target / "TOFU_SUMMARY.json").write_text(json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
