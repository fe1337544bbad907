// Recognising ruined models.
#include "vestige/audit/verdicts/ruin.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using evidence::Model;

constexpr double kSameAnswer = 0.95;     // share of rows with one answer
constexpr double kOneSidedLabels = 0.8;  // beyond this share of one class nothing can be told
constexpr double kPerplexity = 10;       // times retrained's
/// Share of the way from retrained to a uniform model: with few tokens nothing can be ten times as
/// perplexed.
constexpr double kNearUniform = 0.8;

/// Answers of one model on its retain and test rows.
struct Answers {
  std::vector<double> given;   ///< by class: how often it is the answer
  std::vector<double> labels;  ///< by class: how often it is true
  double right = 0;
  double rows = 0;
};

Answers answers_of(const Context& context, const Evidence& evidence, const Model& model) {
  Answers answers{std::vector<double>(evidence.classes), std::vector<double>(evidence.classes)};
  for (const char* split : {"retain", "test"}) {
    const auto* labels = evidence.find_labels(model, split);
    if (!model.has(split) || labels == nullptr) continue;
    const metrics::Numbers classes = metrics::answered_classes(context, model.outputs.at(split));
    for (std::size_t i = 0; i < std::min(classes->size(), labels->size()); ++i) {
      const auto best = static_cast<std::size_t>((*classes)[i]);
      const auto label = static_cast<std::size_t>((*labels)[i]);
      answers.given[best] += 1;
      answers.labels[label] += 1;
      answers.right += best == label ? 1 : 0;
      answers.rows += 1;
    }
  }
  return answers;
}

RuinFound ruin_of_classifier(const Context& context, const Evidence& evidence, const Model& model) {
  if (evidence.classes < 2) return {};
  const Answers answers = answers_of(context, evidence, model);
  if (answers.rows < 20) return {};
  const auto most = std::max_element(answers.given.begin(), answers.given.end());
  const double common =
      *std::max_element(answers.labels.begin(), answers.labels.end()) / answers.rows;
  // Where nearly all labels are one class, chance is nearly right and right answers are one class.
  if (common > kOneSidedLabels) return {};
  if (*most >= kSameAnswer * answers.rows) {
    return {Ruin::collapsed, result::reason(result::Code::one_answer, *most / answers.rows,
                                            most - answers.given.begin())};
  }
  // Chance: as often right as answers drawn apart from the rows, by the same frequencies.
  double chance = 0;
  for (std::size_t c = 0; c < answers.given.size(); ++c) {
    chance += answers.given[c] * answers.labels[c] / (answers.rows * answers.rows);
  }
  const double error = std::sqrt(chance * (1 - chance) / answers.rows);
  const double right = answers.right / answers.rows;
  if (right > chance + 3 * error) return {};
  return {Ruin::scrambled, result::reason(result::Code::right_by_chance, right, chance)};
}

/// Mean log-probability of a token (or minus the loss) on a split, over the models of a group; NaN
/// without.
double likelihood(const Evidence& evidence, const Group* group, const char* split) {
  std::vector<double> means;
  for (const Model& model : group == nullptr ? std::vector<Model>() : group->models) {
    if (!evidence::has_tokens(model, split) && !evidence::has_losses(model, split)) {
      return metrics::kUndefined;
    }
    means.push_back(metrics::mean(metrics::sequence_likelihoods(evidence, model, split)));
  }
  return metrics::mean(means);
}

RuinFound ruin_of_language_models(const Evidence& evidence, const Group& group) {
  double least = HUGE_VAL, share = HUGE_VAL;
  for (const char* split : {"retain", "test"}) {
    const double retrained = likelihood(evidence, evidence.find("retrained"), split);
    const double lost = retrained - likelihood(evidence, &group, split);
    if (std::isnan(lost)) continue;
    least = std::min(least, lost);
    const double known = retrained + std::log(static_cast<double>(evidence.vocabulary));
    share = std::min(share, evidence.vocabulary > 0 && known > 0 ? lost / known : 0);
  }
  if (std::isinf(least)) return {};
  const bool sequences = evidence.sequence_losses || evidence.vocabulary > 0 ||
                         evidence::has_tokens(group.models.front(), "test");
  if (least >= std::log(kPerplexity) && !sequences) {
    return {Ruin::collapsed, result::reason(result::Code::loss_destroyed, least)};
  }
  if (least >= std::log(kPerplexity)) {
    return {Ruin::collapsed, result::reason(result::Code::perplexity_destroyed, std::exp(least))};
  }
  if (share < kNearUniform) return {};
  return {Ruin::collapsed, result::reason(result::Code::likelihood_destroyed, share)};
}

}  // namespace

RuinFound find_ruin(const Context& context, const Evidence& evidence, const Group& group) {
  std::size_t classifiers = 0, ruined = 0;
  RuinFound first;
  for (const Model& model : group.models) {
    if (!model.has("retain") && !model.has("test")) continue;
    ++classifiers;
    const RuinFound found = ruin_of_classifier(context, evidence, model);
    if (found.ruin == Ruin::none) continue;
    ++ruined;
    if (first.ruin == Ruin::none) first = found;
  }
  if (classifiers > 0) return 2 * ruined > classifiers ? first : RuinFound{};
  return ruin_of_language_models(evidence, group);
}

}  // namespace vestige::audit
