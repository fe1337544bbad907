// Questions with right and wrong answers: truth ratio, forget quality and model utility.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "vestige/evidence/losses.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/lm/lm_parts.h"
#include "vestige/metrics/lm/rouge.h"
#include "vestige/metrics/lm/truth_ratio.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Answers;
using evidence::Model;

constexpr std::string_view kUtility = "utility.";

bool has_truth(const Model& model, std::string_view split) {
  return has_losses_of(model, {split}) && has_answers(model, split, Answers::perturbed);
}

/// The right answer in other words, or itself where no other words are given.
std::vector<double> ratios_of(const evidence::Evidence& evidence, const Model& model,
                              std::string_view split) {
  std::vector<std::vector<double>> right;
  if (has_answers(model, split, Answers::paraphrased)) {
    right = read_answers(evidence, model, split, Answers::paraphrased);
  } else {
    for (const double loss : row_losses(evidence, model, split)) right.push_back({loss});
  }
  return truth_ratios(right, read_answers(evidence, model, split, Answers::perturbed));
}

Reason needs_answers(const std::string& folder) {
  return reason(Code::needs_answers, folder + "/{tokens,losses}/forget.perturbed.npy");
}

void add_truth(LmRows& rows) {
  const Model& model = rows.model();
  if (!has_truth(model, "forget")) {
    return rows.skip(rows.make("truth_ratio.forget"), needs_answers(model.folder));
  }
  const std::vector<double> ratios = ratios_of(rows.evidence(), model, "forget");
  const std::string_view right =
      has_answers(model, "forget", Answers::paraphrased) ? "paraphrased" : "answer";
  Row ratio = rows.make("truth_ratio.forget");
  ratio.facts["right"] = right;
  rows.push_mean(std::move(ratio), forgotten_truth(ratios));
  Row share = rows.make("truth_ratio.share.forget");
  share.facts["right"] = right;
  rows.push_mean(std::move(share), share_of_truth(ratios));
  const Model* retrained = retrained_beside(rows.comparison());
  if (retrained == nullptr || !has_truth(*retrained, "forget")) {
    return rows.skip(rows.make("ks.truth_ratio"), needs_answers("retrained/0"));
  }
  push_distance("ks.truth_ratio", ratios, ratios_of(rows.evidence(), *retrained, "forget"),
                *retrained, rows);
}

/// ROUGE-L recall of the generated answers, stemmed; as exported where texts are not there.
std::vector<double> answers_rouge(const evidence::Evidence& evidence, const Model& model,
                                  const std::string& split) {
  const auto generated = model.generated.find(split);
  const auto truth = evidence.text.find(split + ".continuation");
  std::vector<double> recall;
  if (generated != model.generated.end() && truth != evidence.text.end()) {
    for (const RougeL& line : rouge_l_of_lines(truth->second, generated->second, true)) {
      recall.push_back(line.recall);
    }
    return recall;
  }
  const auto given = model.rouge.find(split);
  return given == model.rouge.end() ? recall : given->second.doubles();
}

class Utility {
 public:
  explicit Utility(LmRows& rows) : rows_(rows) {}

  void add() {
    const std::set<std::string> splits = utility_splits(rows_.model());
    if (splits.empty()) return;
    for (const std::string& split : splits) add_split(split);
    Row row = rows_.make("utility");
    if (!missing_.empty()) {
      return rows_.skip(std::move(row), reason(Code::needs_utility_files, missing_));
    }
    row.value = harmonic_mean(parts_);
    row.n = parts_.size();
    row.facts["splits"] = splits;
    rows_.push(std::move(row), 0, Code::utility_part_undefined);
  }

 private:
  void add_split(const std::string& split) {
    const Model& model = rows_.model();
    const evidence::Evidence& evidence = rows_.evidence();
    const std::string name = split.substr(kUtility.size());
    const bool wrong = has_answers(model, split, Answers::perturbed);
    // TOFU's rule: questions on what was fine-tuned and kept are open, all others multiple choice.
    const bool open = name.starts_with("retain");
    if (has_losses_of(model, {split})) {
      std::vector<std::vector<double>> others;
      if (wrong && !open) others = read_answers(evidence, model, split, Answers::perturbed);
      push("utility.probability", name,
           answer_probabilities(row_losses(evidence, model, split), others));
    } else {
      missing_.push_back(fmt::format("{}/losses/{}.npy", model.folder, split));
    }
    const std::vector<double> recall = answers_rouge(evidence, model, split);
    if (recall.empty()) {
      missing_.push_back(fmt::format("{}/generated/{}.txt", model.folder, split));
      missing_.push_back(fmt::format("text/{}.continuation.txt", split));
    } else {
      push("utility.rouge_l", name, recall);
    }
    if (has_truth(model, split)) {
      push("utility.truth_ratio", name, kept_truth(ratios_of(evidence, model, split)));
    } else {
      missing_.push_back(fmt::format("{}/losses/{}.perturbed.npy", model.folder, split));
    }
  }

  void push(std::string_view what, const std::string& split, std::vector<double> terms) {
    parts_.push_back(mean(defined(terms)));
    Row row = rows_.make(what);
    row.settings["split"] = split;
    rows_.push_mean(std::move(row), std::move(terms), Code::text_without_words);
  }

  LmRows& rows_;
  std::vector<double> parts_;
  std::vector<std::string> missing_;
};

}  // namespace

void add_answers(LmRows& rows) {
  add_truth(rows);
  Utility(rows).add();
}

}  // namespace vestige::metrics
