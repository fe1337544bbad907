// Power of verdicts by unseen rows, by the normal approximation.
#include "vestige/audit/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/differences.h"
#include "vestige/audit/verdict_decision.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/contrast.h"

namespace vestige::audit {
namespace {

// Normal quantiles: a one-sided 5 % and a power of 80 % that both ends of the interval lie within
// the margin (90 % each); a two-sided 4 % (the level of unseen rows) and a power of 90 %.
constexpr double kShowForgetting = 1.6449 + 1.2816;
constexpr double kSeeTrace = 2.0537 + 1.2816;

/// Rows about originals and retrained models of the families that verdicts rest on.
std::vector<metrics::Row> control_rows(const evidence::Evidence& evidence,
                                       const VerdictOptions& options) {
  std::vector<metrics::Row> rows;
  const metrics::Request request{options.seed, Json::object()};
  const evidence::Group none{"collapsed", "", {}};
  for (const metrics::Family& family : metrics::families()) {
    if (!family.guards || !family.support(evidence).supported) continue;
    std::vector<metrics::Comparison> list = comparisons(evidence, none, family.unit);
    std::erase_if(list, [](const metrics::Comparison& comparison) {
      return comparison.control != metrics::Control::floor &&
             comparison.control != metrics::Control::ceiling;
    });
    Progress quiet(std::string(family.name), 0);
    const metrics::Measure measure = family.prepare({evidence, request, list});
    for (const metrics::Comparison& comparison : list) {
      for (metrics::Row& row : measure(comparison, quiet).rows) rows.push_back(std::move(row));
    }
  }
  return rows;
}

const metrics::Contrast* find(const std::vector<metrics::Row>& rows, std::string_view metric,
                              metrics::Control control) {
  for (const metrics::Row& row : rows) {
    if (row.metric == metric && row.control == control) return row.contrast.get();
  }
  return nullptr;
}

/// Variance of the difference of two single models' gaps. Of several retrained models it is known;
/// one retrained model and the original overestimate it, as they differ in more than chance.
double variance_of_two(const metrics::Contrast& original, const metrics::Contrast& retrained) {
  if (retrained.by_model.size() > 1) return 2 * retrained.interaction;
  const double error = metrics::gap_difference(original, retrained).error;
  return error * error;
}

std::optional<Power> power_of(const metrics::Contrast& original, const metrics::Contrast& retrained,
                              const VerdictOptions& options) {
  const Difference room = unseen_difference(original, retrained);
  if (!(room.p < kSignificance) || !(room.estimate > 0)) return std::nullopt;
  Power power;
  power.models = retrained.by_model.size();
  power.forget_rows = retrained.target.size();
  const double two = variance_of_two(original, retrained);
  const double error = std::sqrt(two / static_cast<double>(power.models));
  const double margin = options.margin * room.estimate;
  // Nothing below the declared smallest effect is ever shown.
  power.smallest_trace = std::max(options.smallest_effect, kSeeTrace * error / room.estimate);
  power.can_show_forgetting = kShowForgetting * error <= margin;
  const double share = kShowForgetting * kShowForgetting / (margin * margin);
  power.models_needed = static_cast<std::size_t>(std::max(1.0, std::ceil(share * two)));
  power.rows_needed = static_cast<std::size_t>(
      std::ceil(share * error * error * static_cast<double>(power.forget_rows)));
  return power;
}

}  // namespace

std::optional<Power> power(const evidence::Evidence& evidence, const VerdictOptions& options) {
  if (evidence.find("original") == nullptr || evidence.find("retrained") == nullptr) return {};
  const std::vector<metrics::Row> rows = control_rows(evidence, options);
  std::optional<Power> least;
  for (const metrics::Row& row : rows) {
    const metrics::MetricInfo* metric = metrics::find_metric(row.metric);
    if (row.control != metrics::Control::floor || row.contrast == nullptr || !metric->speech ||
        !metric->speech->core) {
      continue;
    }
    const metrics::Contrast* original = find(rows, row.metric, metrics::Control::ceiling);
    if (original == nullptr) continue;
    const std::optional<Power> found = power_of(*original, *row.contrast, options);
    if (found && (!least || found->models_needed > least->models_needed ||
                  found->smallest_trace > least->smallest_trace)) {
      least = found;
    }
  }
  return least;
}

std::string sentence(const Power& power) {
  const std::string traces = fmt::format(
      "with {} forget rows and {} retrained model{}, a method of as many models that kept {:.0f} % "
      "of what the original knows would be seen in 9 of 10 cases",
      power.forget_rows, power.models, power.models == 1 ? "" : "s",
      std::min(100.0, std::ceil(100 * power.smallest_trace)));
  if (power.can_show_forgetting) {
    return traces + "; forgetting within the margin can be shown";
  }
  return fmt::format(
      "{}; showing forgetting within the margin takes {} models a side, or {} forget rows and as "
      "many times more test rows",
      traces, power.models_needed, power.rows_needed);
}

}  // namespace vestige::audit
