// The plain twin of the exact sweep: every pair of cut points is tried, eps by the formula of the
// paper's Algorithm 2. O(N^3) as written; used as the oracle of tests and the base of benchmarks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace vestige::metrics::oracle {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Result {
  double epsilon = kNaN;
  double single = kNaN;
  double double_threshold = kNaN;
  bool positive_is_retrained = false;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

inline double range(std::span<const double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  const double smallest = *std::min_element(values.begin(), values.end());
  return largest == smallest ? 0 : largest - smallest;
}

/// Algorithm 2, one attack.
inline double attack(double fpr, double fnr, double delta) {
  if (fpr == 0 && fnr == 0) return std::numeric_limits<double>::infinity();
  if (fpr == 0 || fnr == 0) return kNaN;
  const double first = std::log(1 - delta - fpr) - std::log(fnr);
  const double second = std::log(1 - delta - fnr) - std::log(fpr);
  const double larger = std::fmax(first, second);
  return std::isnan(larger) ? kNaN : std::max(larger, 0.0);
}

/// Share of values in [lower, upper].
inline double share_inside(std::span<const double> values, double lower, double upper) {
  std::size_t inside = 0;
  for (const double value : values) inside += value >= lower && value <= upper ? 1 : 0;
  return static_cast<double>(inside) / static_cast<double>(values.size());
}

/// Share of values outside [lower, upper].
inline double share_outside(std::span<const double> values, double lower, double upper) {
  std::size_t outside = 0;
  for (const double value : values) outside += value >= lower && value <= upper ? 0 : 1;
  return static_cast<double>(outside) / static_cast<double>(values.size());
}

inline std::vector<double> distinct_values(std::span<const double> first,
                                           std::span<const double> second) {
  std::vector<double> pooled(first.begin(), first.end());
  pooled.insert(pooled.end(), second.begin(), second.end());
  std::sort(pooled.begin(), pooled.end());
  pooled.erase(std::unique(pooled.begin(), pooled.end()), pooled.end());
  return pooled;
}

inline Result epsilon(std::span<const double> unlearned, std::span<const double> retrained,
                      double delta = 1e-5, double cap = 50) {
  Result result;
  const std::vector<double> cuts = distinct_values(unlearned, retrained);
  const double infinity = std::numeric_limits<double>::infinity();
  result.positive_is_retrained =
      median({retrained.begin(), retrained.end()}) > median({unlearned.begin(), unlearned.end()});
  {
    const auto positive = result.positive_is_retrained ? retrained : unlearned;
    const auto negative = result.positive_is_retrained ? unlearned : retrained;
    for (const double cut : cuts) {
      result.single =
          std::fmax(result.single, attack(share_inside(negative, cut, infinity),
                                          share_outside(positive, cut, infinity), delta));
    }
  }
  const double unlearned_range = range(unlearned);
  const double retrained_range = range(retrained);
  const bool peaky_is_retrained = unlearned_range == retrained_range
                                      ? !result.positive_is_retrained
                                      : retrained_range < unlearned_range;
  const auto peaky = peaky_is_retrained ? retrained : unlearned;
  const auto other = peaky_is_retrained ? unlearned : retrained;
  for (std::size_t first = 0; first < cuts.size(); ++first) {
    for (std::size_t last = first; last < cuts.size(); ++last) {
      result.double_threshold = std::fmax(
          result.double_threshold, attack(share_inside(other, cuts[first], cuts[last]),
                                          share_outside(peaky, cuts[first], cuts[last]), delta));
    }
  }
  if (result.single > cap) result.single = cap;
  if (result.double_threshold > cap) result.double_threshold = cap;
  result.epsilon = std::fmax(result.single, result.double_threshold);

  std::vector<double> left(unlearned.begin(), unlearned.end());
  std::vector<double> right(retrained.begin(), retrained.end());
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  if (left == right) result.epsilon = 0;
  return result;
}

}  // namespace vestige::metrics::oracle
