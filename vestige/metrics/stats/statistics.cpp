// Means, quantiles and intervals on Boost.Math distributions.
#include "vestige/metrics/stats/statistics.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

void check_level(double level) {
  require(level > 0 && level < 1, "confidence level {} is outside (0, 1): 0.95 is usual", level);
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return kUndefined;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return kUndefined;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size() - 1);
}

double standard_deviation(std::span<const double> values) { return std::sqrt(variance(values)); }

double quantile(std::span<const double> values, double probability) {
  require(probability >= 0 && probability <= 1, "quantile {} is outside [0, 1]", probability);
  if (values.empty()) return kUndefined;
  for (const double value : values) {
    if (std::isnan(value)) return kUndefined;
  }
  std::vector<double> sorted(values.begin(), values.end());
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), nth, sorted.end());
  const double low = *nth;
  if (below + 1 == sorted.size()) return low;
  const double high = *std::min_element(nth + 1, sorted.end());
  if (low == high) return low;
  // numpy interpolates from the nearer end, which keeps the rule monotone in floating point.
  const double share = position - static_cast<double>(below);
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double t_half_width(double standard_error, double degrees_of_freedom, double level) {
  check_level(level);
  const boost::math::students_t distribution(degrees_of_freedom);
  return standard_error *
         boost::math::quantile(boost::math::complement(distribution, (1 - level) / 2));
}

Estimate t_interval(std::span<const double> values, double level) {
  check_level(level);
  Estimate result{.value = mean(values)};
  if (values.size() < 2 || std::isnan(result.value)) return result;
  const auto n = static_cast<double>(values.size());
  const double half = t_half_width(standard_deviation(values) / std::sqrt(n), n - 1, level);
  result.lower = result.value - half;
  result.upper = result.value + half;
  return result;
}

Estimate clopper_pearson(std::size_t successes, std::size_t trials, double level) {
  check_level(level);
  require(successes <= trials, "{} successes of {} trials: there cannot be more than trials",
          successes, trials);
  if (trials == 0) return {};
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  const double tail = (1 - level) / 2;
  using boost::math::beta_distribution;
  Estimate result{.value = k / n, .lower = 0, .upper = 1};
  if (successes > 0) {
    result.lower = boost::math::quantile(beta_distribution<double>(k, n - k + 1), tail);
  }
  if (successes < trials) {
    result.upper = boost::math::quantile(
        boost::math::complement(beta_distribution<double>(k + 1, n - k), tail));
  }
  return result;
}

}  // namespace vestige::metrics
