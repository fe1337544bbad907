// Power of verdicts by unseen examples, by the normal approximation.
#include "vestige/audit/verdicts/power.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/verdicts/differences.h"
#include "vestige/audit/verdicts/verdict_decision.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

// Normal quantiles: a one-sided 5 % and a power of 80 % that both ends of the interval lie within
// the margin (90 % each); a two-sided 4 % (the level of tests by unseen examples) and a power of 90
// %.
constexpr double kShowForgetting = 1.6449 + 1.2816;
constexpr double kSeeTrace = 2.0537 + 1.2816;
constexpr double kWidth95 = 1.9600;

/// Rows about original and retrained models of the metric groups that verdicts rest on.
std::vector<metrics::Row> control_rows(const evidence::Evidence& evidence,
                                       const VerdictOptions& options) {
  std::vector<metrics::Row> rows;
  const metrics::Request request{options.seed, Json::object(), options.context};
  const evidence::Group none{"constant_predictor", "", {}};
  for (const metrics::Family& family : metrics::families()) {
    if (!family.guards || !family.support(evidence).supported) continue;
    std::vector<metrics::Comparison> list = comparisons(evidence, none, family.unit);
    std::erase_if(list, [](const metrics::Comparison& comparison) {
      return comparison.control != metrics::Control::retrained &&
             comparison.control != metrics::Control::original;
    });
    Progress quiet(ProgressStyle::quiet, std::string(family.name), 0);
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

/// What is detected 9 times in 10: kSeeTrace errors, and more where few examples leave few degrees
/// of freedom.
double detected_from(double error, const metrics::Gap& known) {
  return metrics::t_half_width(error, known.degrees, 0.96) +
         metrics::t_half_width(error, known.degrees, 0.80);
}

std::optional<Power> power_of(const metrics::Contrast& original, const metrics::Contrast& retrained,
                              const VerdictOptions& options) {
  const Difference known = unseen_difference(original, retrained);
  if (std::isnan(known.p)) return std::nullopt;
  Power power;
  power.tells_original = known.p < kSignificance && known.estimate > 0;
  power.models = retrained.by_model.size();
  power.forget_examples = retrained.target.size();
  // Where the original lies on the wrong side of retrained, no share of it can be named.
  if (!(known.estimate > 0)) return power;
  const Allowance allowed = allowance(retrained, options.smallest_effect);
  const double spread = allowed.spread * known.estimate;
  const double two = variance_of_two(original, retrained) + spread * spread;
  const double error = std::sqrt(two / static_cast<double>(power.models));
  const double margin = options.margin * known.estimate;
  // Nothing below the declared smallest effect is ever shown.
  power.smallest_trace =
      std::max(options.smallest_effect,
               detected_from(error, metrics::gap_difference(original, retrained)) / known.estimate +
                   allowed.beyond);
  power.can_show_forgetting = kShowForgetting * error <= margin;
  const double share = kShowForgetting * kShowForgetting / (margin * margin);
  // A difference next to nothing takes more than anybody has.
  const auto number = [](double needed) {
    return static_cast<std::size_t>(std::clamp(std::ceil(needed), 1.0, 1e9));
  };
  power.models_needed = number(share * two);
  // Errors shrink with the root of the examples: both sets must grow by the same factor.
  const double factor = share * error * error;
  power.forget_needed = number(factor * static_cast<double>(power.forget_examples));
  power.unseen_needed = number(factor * static_cast<double>(retrained.unseen.size()));
  return power;
}

}  // namespace

namespace {

/// FORGOTTEN takes every primary signal, so that the weakest one says what is needed; a trace is
/// detected by any, so that the best one says how small it may be. Signals that cannot tell
/// original from retrained are left out of verdicts where another can.
Power together(const Power& left, const Power& right) {
  if (left.tells_original != right.tells_original) return left.tells_original ? left : right;
  Power both = left.models_needed > right.models_needed ? left : right;
  both.smallest_trace = std::min(left.smallest_trace, right.smallest_trace);
  return both;
}

std::optional<Power> find_power(const evidence::Evidence& evidence, const VerdictOptions& options) {
  if (evidence.find("original") == nullptr || evidence.find("retrained") == nullptr) return {};
  const std::vector<metrics::Row> rows = control_rows(evidence, options);
  std::optional<Power> least;
  for (const metrics::Row& row : rows) {
    const metrics::MetricInfo* metric = metrics::find_metric(row.metric);
    if (row.control != metrics::Control::retrained || row.contrast == nullptr || !metric->speech ||
        !metric->speech->core) {
      continue;
    }
    const metrics::Contrast* original = find(rows, row.metric, metrics::Control::original);
    if (original == nullptr) continue;
    const std::optional<Power> found = power_of(*original, *row.contrast, options);
    if (found) least = least ? together(*found, *least) : *found;
  }
  return least;
}

}  // namespace

std::optional<Power> power(const evidence::Evidence& evidence, const VerdictOptions& options) {
  return options.context.run([&] { return find_power(evidence, options); });
}

result::Reasons reasons(const Power& power) {
  using result::Code;
  result::Reasons found;
  if (!power.tells_original || power.smallest_trace > 1) {
    found.emplace_back(Code::original_may_be_missed);
  } else {
    // Rounded up: the share that is named is detected.
    const double kept = std::ceil(100 * power.smallest_trace) / 100;
    found.push_back(result::reason(Code::smallest_detectable_trace, kept));
  }
  if (power.can_show_forgetting) {
    found.emplace_back(Code::forgetting_can_be_shown);
  } else if (power.models_needed > 0) {
    found.push_back(result::reason(Code::forgetting_needs_more, power.models_needed,
                                   power.forget_needed, power.unseen_needed));
  }
  return found;
}

result::Reason detectable(const Verdict& verdict, const VerdictOptions& options) {
  double least = std::numeric_limits<double>::infinity();
  for (const VerdictTest& test : verdict.tests) {
    if (!test.unseen || !test.core || !(test.reference_difference > 0)) continue;
    const double error = (test.difference.upper - test.difference.lower) / (2 * kWidth95);
    least = std::min(least, kSeeTrace * error / test.reference_difference);
  }
  least = std::ceil(100 * std::max(least, options.smallest_effect)) / 100;
  if (least <= 1) return result::reason(result::Code::smallest_detectable_trace, least);
  if (std::isinf(least)) return {};
  return result::Code::original_may_be_missed;
}

}  // namespace vestige::audit
