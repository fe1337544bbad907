// Totals of logs.
#include "vestige/import/recompute.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vestige/metrics/lm/rouge.h"
#include "vestige/metrics/lm/truth_ratio.h"
#include "vestige/metrics/stats/kolmogorov_smirnov.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::importing {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 1e-10;  ///< what OpenUnlearning adds to denominators

double mean_of(const Column& column, std::size_t row) {
  double sum = 0;
  for (std::size_t i = 0; i < column.width; ++i) sum += column.values[row * column.width + i];
  return sum / static_cast<double>(column.width);
}

/// AUC of an attack: holdout examples score higher than forget examples.
double attack_auc(const ModelLog& model, const std::string& attack) {
  const auto found = model.scores.find(attack);
  if (found == model.scores.end()) return kNone;
  return metrics::auc_of_samples(found->second.at("holdout").values,
                                 found->second.at("forget").values);
}

double privleak(double auc, double reference) {
  return ((1 - auc) - (1 - reference)) / (1 - reference + kTiny) * 100;
}

double said_by(const ModelLog& model, const std::string& key) {
  const auto found = model.said.find(key);
  return found == model.said.end() ? kNone : found->second;
}

double truth_of(const QuestionLog& split, bool forget) {
  std::vector<double> ratios = truth_ratios_of(split);
  if (ratios.empty()) return kNone;
  for (double& t : ratios) t = forget ? std::min(t, 1 / (t + kTiny)) : std::max(0.0, 1 - t);
  return metrics::mean(ratios);
}

/// Of the right answer among all, where wrong ones are given.
double share_of_right(const QuestionLog& split) {
  std::vector<double> shares;
  for (std::size_t row = 0; row < split.probability.index.size(); ++row) {
    double wrong = 0;
    for (std::size_t i = 0; i < split.perturbed.width; ++i) {
      wrong += std::exp(-split.perturbed.values[row * split.perturbed.width + i]);
    }
    const double right = split.probability.values[row];
    shares.push_back(right / (right + wrong + kTiny));
  }
  return metrics::mean(shares);
}

double rouge_of(const QuestionLog& split) {
  if (split.generated.texts.empty()) return kNone;
  double sum = 0;
  for (const metrics::RougeL& line :
       metrics::rouge_l_of_lines(split.truth.texts, split.generated.texts, true)) {
    sum += std::isnan(line.recall) ? 0 : line.recall;  // rouge-score gives 0 for no words
  }
  return sum / static_cast<double>(split.truth.texts.size());
}

double utility_of(const ModelLog& model) {
  std::vector<double> parts;
  for (const char* name : {"retain", "real_authors", "world_facts"}) {
    const auto found = model.splits.find(name);
    if (found == model.splits.end()) return kNone;
    const QuestionLog& split = found->second;
    if (split.loss.index.empty() || split.rouge.index.empty() || split.perturbed.index.empty()) {
      return kNone;
    }
    const bool open = found->first == "retain";
    parts.push_back(open ? metrics::mean(split.probability.values) : share_of_right(split));
    parts.push_back(metrics::mean(split.rouge.values));
    parts.push_back(truth_of(split, false));
  }
  return metrics::harmonic_mean(parts);
}

class Totals {
 public:
  Totals(const ModelLog& model, std::vector<Recomputed>& out) : model_(model), out_(out) {}

  /// Agrees within a share of the value, or within `apart`.
  void add(const std::string& key, double value, double apart) {
    const double said = said_by(model_, key);
    if (std::isnan(value) && std::isnan(said)) return;
    const bool agrees = std::isnan(said) || std::abs(value - said) <= apart + 1e-3 * std::abs(said);
    out_.push_back({model_.id, key, value, said, agrees});
  }

  /// p-values span twenty powers of ten: compared by their logarithms.
  void add_p(const std::string& key, double value) {
    const double said = said_by(model_, key);
    if (std::isnan(value) && std::isnan(said)) return;
    const bool agrees =
        std::isnan(said) || value == said || std::abs(std::log10(value / said)) <= 0.01;
    out_.push_back({model_.id, key, value, said, agrees});
  }

 private:
  const ModelLog& model_;
  std::vector<Recomputed>& out_;
};

}  // namespace

std::vector<double> truth_ratios_of(const QuestionLog& split) {
  const Column& right = split.paraphrased.index.empty() ? split.loss : split.paraphrased;
  std::vector<double> ratios;
  if (split.perturbed.index.empty()) return ratios;
  for (std::size_t row = 0; row < right.index.size(); ++row) {
    ratios.push_back(std::exp(-mean_of(split.perturbed, row)) /
                     (std::exp(-mean_of(right, row)) + kTiny));
  }
  return ratios;
}

bool privleak_without_reference(const ModelLog& model) {
  const double said = said_by(model, "privleak");
  const double value = privleak(attack_auc(model, "mia_min_k"), 0.5);
  return std::abs(value - said) <= 0.01 + 1e-3 * std::abs(said);
}

std::vector<Recomputed> recompute(const ModelLog& model, const ModelLog* retrained) {
  std::vector<Recomputed> out;
  Totals totals(model, out);
  const auto forget = model.splits.find("forget");
  if (forget != model.splits.end()) {
    const QuestionLog& split = forget->second;
    totals.add("forget_Q_A_Prob", metrics::mean(split.probability.values), 1e-4);
    totals.add("forget_Q_A_ROUGE", rouge_of(split), 1e-4);
    const bool lower = model.said.count("forget_truth_ratio") > 0;
    totals.add(lower ? "forget_truth_ratio" : "forget_Truth_Ratio", truth_of(split, true), 1e-4);
    if (retrained != nullptr && retrained->splits.count("forget") > 0) {
      totals.add_p("forget_quality",
                   metrics::kolmogorov_smirnov(truth_ratios_of(split),
                                               truth_ratios_of(retrained->splits.at("forget")))
                       .p);
    }
  }
  totals.add("model_utility", utility_of(model), 1e-4);
  for (const char* attack : {"mia_loss", "mia_min_k", "mia_min_k_plus_plus", "mia_zlib"}) {
    totals.add(attack, attack_auc(model, attack), 1e-4);
  }
  if (retrained != nullptr) {
    totals.add("privleak",
               privleak(attack_auc(model, "mia_min_k"), attack_auc(*retrained, "mia_min_k")), 0.01);
  }
  return out;
}

}  // namespace vestige::importing
