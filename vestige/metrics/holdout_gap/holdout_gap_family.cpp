// Gaps to unseen examples.
#include "vestige/metrics/holdout_gap/holdout_gap_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/inputs/row_signals.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kKnows =
    "compared with unseen examples, it knows the forget set better than retrained models do";
constexpr std::string_view kAvoids =
    "compared with unseen examples, it knows the forget set less well than retrained models do";

MetricInfo gap_info(std::string_view id, std::string_view name, std::string_view what, int place,
                    bool core, bool enough) {
  return {.id = id,
          .direction = Direction::match,
          .ideal = kUndefined,
          .name = name,
          .what = what,
          .shows_forgetting = true,
          .speech = Speech{
              .place = place, .under = kKnows, .over = kAvoids, .core = core, .enough = enough}};
}

std::vector<MetricInfo> holdout_gap_metrics() {
  return {
      gap_info("holdout_gap.probability",
               "gap to unseen examples in the probability of the true class",
               "mean probability of the true class on forget examples minus that on test examples",
               1, true, true),
      gap_info("holdout_gap.right", "gap to unseen examples in accuracy",
               "accuracy on forget examples minus accuracy on test examples", 2, true, false),
      gap_info(
          "holdout_gap.log_odds", "gap to unseen examples in the log-odds of the true class",
          "mean log-odds of the true class (within 8 nats) on forget examples minus that on test "
          "examples",
          3, false, false),
      gap_info("holdout_gap.likelihood", "gap to unseen examples in the log-probability of a token",
               "mean log-probability of a token in forget sequences minus that in test sequences",
               4, true, true),
      gap_info(
          "holdout_gap.loss", "gap to unseen examples in the loss",
          "mean loss on test examples minus that on forget examples, where only losses are known",
          5, true, true),
      gap_info("holdout_gap.token_probability",
               "gap to unseen examples in the probability of a token",
               "geometric mean probability of a token (exp of minus the loss) on forget examples "
               "minus that on test examples, where people were forgotten",
               6, false, false),
      gap_info(
          "holdout_gap.token_log_odds", "gap to unseen examples in the log-odds of a token",
          "log-odds of that probability (within 8 nats) on forget examples minus those on test "
          "examples, where people were forgotten",
          7, false, false),
      {.id = "holdout_gap.moved",
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = "distance from the original on the forget set",
       .what =
           "mean total variation distance to the original's answers on forget examples (language "
           "models: mean distance of log-probabilities)",
       .moved = true},
  };
}

Support holdout_gap_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (can_speak(model) && !speaking_rows(evidence).empty()) return {true};
    }
  }
  return {false, reason(Code::needs_unseen_examples, "MODEL/test.npy and labels/test.npy")};
}

/// One signal of all candidates: [models, target rows] and [models, unseen rows].
struct Values {
  std::string_view name;
  Matrix target;
  Matrix unseen;
};

std::vector<Values> values_of(const Context& context, const Comparison& comparison,
                              const RowSets& sets) {
  const std::size_t models = comparison.candidate.size();
  const std::size_t targets = sets.forget + sets.target_test.size();
  std::vector<Values> all;
  for (std::size_t place = 0; place < models; ++place) {
    const evidence::Model& model = *comparison.candidate[place];
    if (!can_speak(model)) return {};
    const auto forget = row_signals(context, *comparison.evidence, model, "forget");
    const auto test = row_signals(context, *comparison.evidence, model, "test");
    if (forget.empty() || forget.size() != test.size()) return {};
    for (std::size_t signal = 0; signal < forget.size(); ++signal) {
      if (forget[signal].values.size() != sets.forget) return {};
      if (all.size() <= signal) {
        all.push_back(
            {forget[signal].name, Matrix(models, targets), Matrix(models, sets.unseen.size())});
      }
      std::span<double> target = all[signal].target.row(place);
      std::copy(forget[signal].values.begin(), forget[signal].values.end(), target.begin());
      for (std::size_t i = 0; i < sets.target_test.size(); ++i) {
        target[sets.forget + i] = test[signal].values.at(sets.target_test[i]);
      }
      for (std::size_t i = 0; i < sets.unseen.size(); ++i) {
        all[signal].unseen(place, i) = test[signal].values.at(sets.unseen[i]);
      }
    }
  }
  return all;
}

Row gap_row(const Values& values, const Comparison& comparison, const Request& request,
            const RowSets& sets) {
  Row row = make_row(fmt::format("holdout_gap.{}", values.name), comparison, request);
  auto made = std::make_shared<Contrast>(contrast(values.target, values.unseen, sets.strata));
  const Gap seen = gap(*made);
  row.value = seen.estimate;
  if (seen.error > 0) {
    const double half = t_half_width(seen.error, seen.degrees);
    row.lower = row.value - half;
    row.upper = row.value + half;
    row.interval = result::Code::t_models_fixed;
  }
  row.n = made->target.size();
  row.by_model = made->by_model;
  row.facts["target"] = mean(made->target);
  row.facts["unseen"] = mean(made->unseen);
  row.facts["unseen_rows"] = made->unseen.size();
  row.facts["forgotten"] = name(sets.forgotten);
  row.facts["exchangeable"] = comparison.evidence->exchangeable;
  // Models that never saw a class have no reason to agree on how impossible they find it.
  const bool speaks = sets.forgotten != Forgotten::classes || values.name != "log_odds";
  if (speaks) row.contrast = std::move(made);
  return row;
}

/// Against the original that each candidate came from, else the first.
void add_moved(const Comparison& comparison, const Request& request, Measurements& out) {
  if (comparison.control == Control::original || comparison.original.empty()) return;
  Row row = make_row("holdout_gap.moved", comparison, request);
  for (const evidence::Model* model : comparison.candidate) {
    const evidence::Model* from = comparison.evidence->original_of(*model);
    if (from == nullptr) from = comparison.original.front();
    row.by_model.push_back(mean_distance(*comparison.evidence, *model, *from));
  }
  row.value = mean(row.by_model);
  if (std::isnan(row.value)) return;
  row.n = row.by_model.size();
  out.rows.push_back(std::move(row));
}

std::function<Measure(const Preparation&)> prepared() {
  return [](const Preparation& from) -> Measure {
    return [sets = speaking_rows(from.evidence), &request = from.request](
               const Comparison& comparison, Progress&) {
      Measurements out;
      if (!sets.empty()) {
        for (const Values& values : values_of(request.context, comparison, sets)) {
          out.rows.push_back(gap_row(values, comparison, request, sets));
        }
      }
      add_moved(comparison, request, out);
      return out;
    };
  };
}

}  // namespace

Family holdout_gap_family() {
  return {.name = "holdout_gap",
          .summary = "gap between forget and unseen examples, on which verdicts rest",
          .metrics = holdout_gap_metrics(),
          .support = holdout_gap_support,
          .prepare = prepared(),
          .unit = Unit::group,
          .guards = true,
          .formerly = {{"yardstick", "holdout_gap"}}};
}

}  // namespace vestige::metrics
