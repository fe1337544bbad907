// Rows of the yardstick family.
#include "vestige/metrics/yardstick/yardstick_family.h"

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
    "set against rows that nobody saw, it knows the forgotten rows better than retrained models do";
constexpr std::string_view kAvoids =
    "set against rows that nobody saw, it knows the forgotten rows less well than retrained models "
    "do";

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

std::vector<MetricInfo> yardstick_metrics() {
  return {
      gap_info("yardstick.probability",
               "probability of the true class, forgotten minus unseen rows",
               "mean probability of the true class on forget rows minus that on test rows", 1, true,
               true),
      gap_info("yardstick.right", "answered right, forgotten minus unseen rows",
               "accuracy on forget rows minus accuracy on test rows", 2, true, false),
      gap_info("yardstick.log_odds", "log-odds of the true class, forgotten minus unseen rows",
               "mean log-odds of the true class (within 8 nats) on forget rows minus that on test "
               "rows",
               3, false, false),
      gap_info("yardstick.likelihood", "log-probability of a token, forgotten minus unseen rows",
               "mean log-probability of a token in forget sequences minus that in test sequences",
               4, true, true),
      gap_info("yardstick.loss", "loss, unseen minus forgotten rows",
               "mean loss on test rows minus that on forget rows, where models show losses only", 5,
               true, true),
      gap_info("yardstick.token_probability", "probability of a token, forgotten minus unseen rows",
               "geometric mean probability of a token (exp of minus the loss) on forget rows minus "
               "that on test rows, where people were forgotten",
               6, false, false),
      gap_info("yardstick.token_log_odds", "log-odds of a token, forgotten minus unseen rows",
               "log-odds of that probability (within 8 nats) on forget rows minus those on test "
               "rows, where people were forgotten",
               7, false, false),
      {.id = "yardstick.moved",
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = "distance moved from the original on forgotten rows",
       .what = "mean total variation distance to the original's answers on forget rows (language "
               "models: mean distance of log-probabilities)",
       .moved = true},
  };
}

Support yardstick_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (can_speak(model) && !speaking_rows(evidence).empty()) return {true, ""};
    }
  }
  return {false,
          "needs rows that nobody saw: add test.npy of every model and labels/test.npy (verdicts "
          "rest on them)"};
}

/// One signal of all candidates: [models, target rows] and [models, unseen rows].
struct Values {
  std::string_view name;
  Matrix target;
  Matrix unseen;
};

std::vector<Values> values_of(const Comparison& comparison, const RowSets& sets) {
  const std::size_t models = comparison.candidate.size();
  const std::size_t targets = sets.forget + sets.target_test.size();
  std::vector<Values> all;
  for (std::size_t place = 0; place < models; ++place) {
    const evidence::Model& model = *comparison.candidate[place];
    if (!can_speak(model)) return {};
    const auto forget = row_signals(*comparison.evidence, model, "forget");
    const auto test = row_signals(*comparison.evidence, model, "test");
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
  Row row = make_row(fmt::format("yardstick.{}", values.name), comparison, request);
  auto made = std::make_shared<Contrast>(contrast(values.target, values.unseen, sets.strata));
  const Gap seen = gap(*made);
  row.value = seen.estimate;
  if (seen.error > 0) {
    const double half = t_half_width(seen.error, seen.degrees);
    row.lower = row.value - half;
    row.upper = row.value + half;
    row.interval = "t 95 % over rows, models fixed";
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
  if (comparison.control == Control::ceiling || comparison.original.empty()) return;
  Row row = make_row("yardstick.moved", comparison, request);
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
        for (const Values& values : values_of(comparison, sets)) {
          out.rows.push_back(gap_row(values, comparison, request, sets));
        }
      }
      add_moved(comparison, request, out);
      return out;
    };
  };
}

}  // namespace

Family yardstick_family() {
  return {.name = "yardstick",
          .summary = "forget rows against rows that nobody saw: what verdicts rest on",
          .metrics = yardstick_metrics(),
          .support = yardstick_support,
          .prepare = prepared(),
          .unit = Unit::group,
          .guards = true};
}

}  // namespace vestige::metrics
