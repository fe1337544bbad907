// Student's t-tests on Boost.Math's t distribution.
#include "vestige/metrics/stats/t_tests.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

using boost::math::students_t;

void check_pairs(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size(), "a paired test got {} and {} values: both must be one per pair",
          a.size(), b.size());
}

double t_probability(double t, double degrees_of_freedom, Alternative alternative) {
  if (std::isnan(t)) return kUndefined;
  const students_t distribution(degrees_of_freedom);
  switch (alternative) {
    case Alternative::greater:
      return boost::math::cdf(boost::math::complement(distribution, t));
    case Alternative::less:
      return boost::math::cdf(distribution, t);
    case Alternative::two_sided:
      return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
  }
  return kUndefined;
}

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  check_pairs(a, b);
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

/// t = difference / standard error: 0 / 0 is undefined, x / 0 infinite.
double t_ratio(double difference, double standard_error) {
  if (standard_error > 0) return difference / standard_error;
  if (standard_error == 0 && difference != 0) return std::copysign(HUGE_VAL, difference);
  return kUndefined;
}

/// Both one-sided tests against +-margin from a difference, its standard error and its degrees of
/// freedom.
Equivalence two_one_sided(double difference, double standard_error, double degrees_of_freedom,
                          double margin, double alpha) {
  require(margin > 0, "equivalence margin {} must be positive", margin);
  require(alpha > 0 && alpha < 0.5, "equivalence level alpha {} is outside (0, 0.5)", alpha);
  Equivalence result{.mean_difference = difference};
  if (!(degrees_of_freedom > 0) || std::isnan(standard_error)) return result;
  const double above = t_probability(t_ratio(difference + margin, standard_error),
                                     degrees_of_freedom, Alternative::greater);
  const double below = t_probability(t_ratio(difference - margin, standard_error),
                                     degrees_of_freedom, Alternative::less);
  result.p = std::isnan(above) || std::isnan(below) ? kUndefined : std::max(above, below);
  const double half = t_half_width(standard_error, degrees_of_freedom, 1 - 2 * alpha);
  result.lower = difference - half;
  result.upper = difference + half;
  result.equivalent = result.p < alpha;
  return result;
}

}  // namespace

PairedT paired_t(std::span<const double> a, std::span<const double> b, Alternative alternative,
                 double level) {
  const std::vector<double> difference = differences(a, b);
  const Estimate center = t_interval(difference, level);
  PairedT result{.n = difference.size(),
                 .mean_difference = center.value,
                 .sd_difference = standard_deviation(difference),
                 .lower = center.lower,
                 .upper = center.upper};
  if (result.n < 2) return result;
  const auto n = static_cast<double>(result.n);
  result.t = t_ratio(result.mean_difference, result.sd_difference / std::sqrt(n));
  result.cohen_d = t_ratio(result.mean_difference, result.sd_difference);
  result.p = t_probability(result.t, n - 1, alternative);
  return result;
}

PairedT paired_t_from_interval(double mean_difference, double lower, double upper, std::size_t n,
                               Alternative alternative, double level) {
  require(n >= 2, "a paired test needs at least 2 pairs, not {}", n);
  require(lower <= upper, "interval [{}, {}] is empty: give its lower end first", lower, upper);
  const auto count = static_cast<double>(n);
  const double standard_error = (upper - lower) / 2 / t_half_width(1, count - 1, level);
  PairedT result{.n = n,
                 .mean_difference = mean_difference,
                 .sd_difference = standard_error * std::sqrt(count),
                 .lower = lower,
                 .upper = upper};
  result.t = t_ratio(mean_difference, standard_error);
  result.cohen_d = t_ratio(mean_difference, result.sd_difference);
  result.p = t_probability(result.t, count - 1, alternative);
  return result;
}

WelchT welch_t(std::span<const double> a, std::span<const double> b, Alternative alternative,
               double level) {
  WelchT result{.mean_difference = mean(a) - mean(b)};
  if (a.size() < 2 || b.size() < 2) return result;
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double share_a = variance(a) / n;
  const double share_b = variance(b) / m;
  result.standard_error = std::sqrt(share_a + share_b);
  if (!(result.standard_error > 0)) return result;
  result.degrees_of_freedom = (share_a + share_b) * (share_a + share_b) /
                              (share_a * share_a / (n - 1) + share_b * share_b / (m - 1));
  result.t = result.mean_difference / result.standard_error;
  result.p = t_probability(result.t, result.degrees_of_freedom, alternative);
  const double half = t_half_width(result.standard_error, result.degrees_of_freedom, level);
  result.lower = result.mean_difference - half;
  result.upper = result.mean_difference + half;
  return result;
}

Equivalence tost_welch(std::span<const double> a, std::span<const double> b, double margin,
                       double alpha) {
  const WelchT welch = welch_t(a, b);
  return two_one_sided(welch.mean_difference, welch.standard_error, welch.degrees_of_freedom,
                       margin, alpha);
}

Equivalence tost_paired(std::span<const double> a, std::span<const double> b, double margin,
                        double alpha) {
  const std::vector<double> difference = differences(a, b);
  const auto n = static_cast<double>(difference.size());
  return two_one_sided(mean(difference), standard_deviation(difference) / std::sqrt(n), n - 1,
                       margin, alpha);
}

}  // namespace vestige::metrics
