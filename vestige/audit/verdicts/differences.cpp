// Differences by models, by rows, or by intervals.
#include "vestige/audit/verdicts/differences.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/probability.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::audit {
namespace {

constexpr std::size_t kFewestForBootstrap = 20;
constexpr double kNormal95 = 1.959963984540054;
constexpr double kNormal90 = 1.6448536269514722;

Difference by_bootstrap(const std::vector<double>& differences, std::uint64_t seed) {
  const std::vector<double> replicates =
      metrics::bootstrap_replicates(differences.size(),
                                    [&](std::span<const std::size_t> rows) {
                                      double sum = 0;
                                      for (const std::size_t row : rows) sum += differences[row];
                                      return sum / static_cast<double>(rows.size());
                                    },
                                    {.seed = seed, .purpose = "verdicts"});
  Difference result;
  result.how = reason(Code::by_paired_bootstrap, differences.size());
  result.estimate = metrics::mean(differences);
  result.lower = metrics::quantile(replicates, 0.025);
  result.upper = metrics::quantile(replicates, 0.975);
  result.lower90 = metrics::quantile(replicates, 0.05);
  result.upper90 = metrics::quantile(replicates, 0.95);
  const auto not_above =
      std::count_if(replicates.begin(), replicates.end(), [](double value) { return value <= 0; });
  const auto not_below =
      std::count_if(replicates.begin(), replicates.end(), [](double value) { return value >= 0; });
  // One is added to both counts: 2,000 resamples cannot show a p of 0 (Davison and Hinkley 1997).
  result.p = std::min(1.0, 2 * static_cast<double>(std::min(not_above, not_below) + 1) /
                               static_cast<double>(replicates.size() + 1));
  return result;
}

}  // namespace

Difference student_difference(double estimate, double error, double degrees, Reason how) {
  Difference result;
  result.how = std::move(how);
  result.estimate = estimate;
  const auto half = [&](double level) {
    return error == 0 ? 0 : metrics::t_half_width(error, degrees, level);
  };
  result.lower = estimate - half(0.95);
  result.upper = estimate + half(0.95);
  result.lower90 = estimate - half(0.90);
  result.upper90 = estimate + half(0.90);
  if (error == 0) {
    result.p = estimate == 0 ? 1 : 0;
  } else {
    result.p = metrics::two_sided_t(estimate / error, degrees);
  }
  return result;
}

Difference paired_difference(std::span<const double> left, std::span<const double> right,
                             std::uint64_t seed) {
  if (left.size() != right.size()) return {};
  std::vector<double> differences;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double difference = left[i] - right[i];
    if (!std::isnan(difference)) differences.push_back(difference);
  }
  const std::size_t n = differences.size();
  if (n < 2) return {};
  if (n >= kFewestForBootstrap && n <= kMostForBootstrap) return by_bootstrap(differences, seed);
  return student_difference(
      metrics::mean(differences),
      metrics::standard_deviation(differences) / std::sqrt(static_cast<double>(n)),
      static_cast<double>(n - 1), reason(Code::by_paired_t, n));
}

Difference model_difference(std::span<const double> left, std::span<const double> right) {
  const double estimate = metrics::mean(left) - metrics::mean(right);
  if (left.size() >= 2 && right.size() >= 2) {
    const metrics::WelchT test = metrics::welch_t(left, right);
    if (std::isnan(test.standard_error) || std::isnan(test.degrees_of_freedom)) return {};
    return student_difference(estimate, test.standard_error, test.degrees_of_freedom,
                              reason(Code::by_welch, left.size(), right.size()));
  }
  const std::span<const double> many = left.size() > right.size() ? left : right;
  if (std::min(left.size(), right.size()) != 1 || many.size() < 3) return {};
  const auto count = static_cast<double>(many.size());
  const double spread = metrics::standard_deviation(many);
  if (!(spread > 0)) return {};
  return student_difference(estimate, spread * std::sqrt(1 + 1 / count), count - 1,
                            reason(Code::by_one_against_many, many.size()));
}

Difference mover_difference(const metrics::Estimate& left, const metrics::Estimate& right) {
  Difference result;
  result.estimate = left.value - right.value;
  const double below = std::hypot(left.value - left.lower, right.upper - right.value);
  const double above = std::hypot(left.upper - left.value, right.value - right.lower);
  if (std::isnan(below) || std::isnan(above)) return {};
  result.how = Code::by_mover;
  result.lower = result.estimate - below;
  result.upper = result.estimate + above;
  result.lower90 = result.estimate - below * kNormal90 / kNormal95;
  result.upper90 = result.estimate + above * kNormal90 / kNormal95;
  const double half = result.estimate > 0 ? below : above;  // towards 0
  if (half == 0) {
    result.p = result.estimate == 0 ? 1 : 0;
  } else {
    result.p = std::erfc(kNormal95 * std::abs(result.estimate) / half / std::sqrt(2.0));
  }
  return result;
}

Allowance allowance(const metrics::Contrast& retrained, double smallest_effect) {
  // Measured on models with known answers (docs/validation/error-rates.md): freshly retrained
  // models differ by up to a tenth of the original-retrained difference.
  constexpr double kSpread = 0.1;
  constexpr double kAllUnlike = 0.3;  // from here on all of it
  constexpr double kExamples = 100;   // with fewer, the error over examples is the larger part
  const double unlike = metrics::unlikeness(retrained);
  const double enough = std::min(1.0, static_cast<double>(retrained.target.size()) / kExamples);
  return {kSpread * unlike * std::sqrt(enough),
          smallest_effect * std::min(1.0, unlike / kAllUnlike) * enough};
}

Difference unseen_difference(const metrics::Contrast& left, const metrics::Contrast& retrained,
                             double reference, double smallest_effect) {
  const Allowance allowed = allowance(retrained, smallest_effect);
  const double whole = std::abs(
      std::isnan(reference) ? metrics::gap_difference(left, retrained).estimate : reference);
  const metrics::Gap gap = metrics::gap_difference(left, retrained, allowed.spread * whole);
  if (std::isnan(gap.error)) return {};
  Difference result =
      student_difference(gap.estimate, gap.error, gap.degrees,
                         reason(Code::by_unseen_examples, left.target.size(), left.unseen.size(),
                                left.by_model.size(), retrained.by_model.size()));
  const double rest = std::abs(gap.estimate) - allowed.beyond * whole;
  if (allowed.beyond > 0 && gap.error > 0) {
    result.p = rest > 0 ? metrics::two_sided_t(rest / gap.error, gap.degrees) : 1;
  }
  return result;
}

Difference mean_difference(const metrics::Contrast& left, const metrics::Contrast& right) {
  const metrics::Gap gap = metrics::gap_difference(left, right);
  if (std::isnan(gap.error)) return {};
  return student_difference(gap.estimate, gap.error, gap.degrees,
                            reason(Code::by_examples_and_models, left.target.size(),
                                   left.by_model.size(), right.by_model.size()));
}

Difference distance_difference(const metrics::Contrast& left, const metrics::Contrast& right) {
  const metrics::Gap gap = metrics::distance_gap(left, right);
  if (std::isnan(gap.error)) return {};
  return student_difference(gap.estimate, gap.error, gap.degrees, Code::by_distance_beyond_unseen);
}

Difference unseen_gap(const metrics::Contrast& group) {
  const metrics::Gap gap = metrics::gap(group);
  if (std::isnan(gap.error)) return {};
  return student_difference(gap.estimate, gap.error, gap.degrees,
                            reason(Code::by_model_alone, group.target.size(), group.unseen.size()));
}

Difference difference(const Side& left, const Side& right, std::uint64_t seed) {
  Difference result = model_difference(left.values, right.values);
  if (!std::isnan(result.p)) return result;
  if (!left.terms.empty() && !right.terms.empty()) {
    result = paired_difference(left.terms, right.terms, seed);
    if (!std::isnan(result.p)) return result;
  }
  return mover_difference(left.interval, right.interval);
}

}  // namespace vestige::audit
