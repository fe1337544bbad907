// The loss attack on every model of two groups, and the gap between the two averages.
#include "vestige/metrics/epsilon/mia_gap_family.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/learn/simple_mia.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> mia_gap_metrics() {
  return {
      {.id = "mia_gap.loss",
       .direction = Direction::lower,
       .ideal = 0,
       .name = "MIA gap",
       .what = "accuracy of a loss attack on forget vs test examples: absolute difference to "
               "retrained models",
       .shows_forgetting = true,
       .brief = "MIA gap"},
  };
}

bool attackable(const evidence::Model& model) { return has_outputs(model, {"forget", "test"}); }

/// Fewest examples per class from which 10 % can be held out with both classes present.
constexpr std::size_t kFewestRows = 6;

/// Attack accuracy of each model that has the splits; every model is attacked on the same rows.
std::vector<double> accuracies(const Comparison& comparison, const Models& models,
                               const Request& request) {
  Models usable;
  std::copy_if(models.begin(), models.end(), std::back_inserter(usable),
               [](const evidence::Model* model) { return attackable(*model); });
  std::vector<double> result(usable.size());
  parallel_for(usable.size(), [&](std::size_t i) {
    result[i] =
        simple_mia(split_losses(request.context, *comparison.evidence, *usable[i], "forget"),
                   split_losses(request.context, *comparison.evidence, *usable[i], "test"),
                   request.seed)
            .accuracy;
  });
  return result;
}

/// |difference| with the interval of the difference folded at 0.
void fold(const WelchT& test, Row& row) {
  if (std::isnan(test.lower)) return;
  const bool straddles = test.lower <= 0 && test.upper >= 0;
  row.lower = straddles ? 0 : std::min(std::abs(test.lower), std::abs(test.upper));
  row.upper = std::max(std::abs(test.lower), std::abs(test.upper));
  row.interval = result::Code::welch_over_models_folded;
}

Measurements skipped(Row row, Reason why) {
  row.status = Status::skipped;
  row.notes = {std::move(why)};
  Measurements out;
  out.rows.push_back(std::move(row));
  return out;
}

Support mia_gap_support(const evidence::Evidence& evidence) {
  if (!has_labels(evidence, {"forget", "test"})) {
    return {false, reason(Code::needs_labels, std::vector<std::string>{"forget", "test"},
                          "labels/{forget,test}.npy")};
  }
  const evidence::Group* retrained = evidence.find("retrained");
  if (retrained == nullptr || !attackable(retrained->models.front())) {
    return {false, reason(Code::needs_retrained_model, "retrained/0/{forget,test}.npy")};
  }
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "unlearned" && group.role != "original") continue;
    if (attackable(group.models.front())) return {true, {}};
  }
  return {false, reason(Code::needs_outputs, std::vector<std::string>{"forget", "test"},
                        "unlearned/METHOD/0/{forget,test}.npy")};
}

Measurements measure_mia_gap(const Comparison& comparison, const Request& request, Progress&) {
  Row row = make_row("mia_gap.loss", comparison, request);
  Models ours = comparison.candidate, theirs = comparison.retrained;
  if (theirs.empty()) {
    // The retrained group against itself: its first half against its second.
    const auto middle = ours.begin() + static_cast<std::ptrdiff_t>(ours.size() / 2);
    theirs.assign(middle, ours.end());
    ours.erase(middle, ours.end());
    if (ours.empty()) {
      return skipped(std::move(row),
                     reason(Code::needs_second_retrained_model, "retrained/1/{forget,test}.npy"));
    }
  }
  const auto* forget = comparison.evidence->find_labels("forget");
  const auto* test = comparison.evidence->find_labels("test");
  if (const std::size_t fewest = std::min(forget->size(), test->size()); fewest < kFewestRows) {
    return skipped(std::move(row),
                   reason(Code::needs_more_examples, fewest == forget->size() ? "forget" : "test",
                          fewest, kFewestRows));
  }
  const std::vector<double> candidate = accuracies(comparison, ours, request);
  const std::vector<double> retrained = accuracies(comparison, theirs, request);
  if (candidate.empty() || retrained.empty()) {
    return skipped(
        std::move(row),
        reason(Code::needs_outputs, std::vector<std::string>{"forget", "test"},
               (candidate.empty() ? ours : theirs).front()->id() + "/{forget,test}.npy"));
  }
  row.value = std::abs(mean(candidate) - mean(retrained));
  row.n = candidate.size();
  row.facts = {{"accuracy", json_number(mean(candidate))},
               {"retrained_accuracy", json_number(mean(retrained))},
               {"retrained_models", retrained.size()},
               {"splits", SimpleMiaOptions{}.splits},
               {"test_fraction", SimpleMiaOptions{}.test_fraction}};
  fold(welch_t(candidate, retrained), row);
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.notes = {reason(Code::no_finite_score)};
  } else if (row.interval.empty()) {
    row.notes = {reason(Code::no_interval_of_gap)};
  }
  Measurements out;
  out.rows.push_back(std::move(row));
  return out;
}

/// Of a pair of equally many forget and test rows. The fits take from a tenth to twice of this, as
/// losses are hard or easy to tell apart (docs/performance.md).
std::optional<Cost> mia_gap_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"test"}, {.output = 1.3, .row = 90000});
}

}  // namespace

Family mia_gap_family() {
  return {.name = "mia_gap",
          .summary = "how much better a loss attack works than on retrained models",
          .metrics = mia_gap_metrics(),
          .ranges = {{"mia_gap", kShare}},
          .support = mia_gap_support,
          .prepare = each(measure_mia_gap),
          .unit = Unit::group,
          .cost = mia_gap_cost};
}

}  // namespace vestige::metrics
