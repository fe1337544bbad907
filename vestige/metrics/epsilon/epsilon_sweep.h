// The exact sweep behind epsilon: every attack that a cut of the pooled sample can make, searched
// in O(N log N). Used by epsilon.cpp (the value) and epsilon_split.cpp (the cut itself).
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace vestige::metrics {

/// Logarithms of the rates k / n, k = 0 .. n, so that a sweep adds and compares instead of calling
/// log. The entries are bit for bit what the plain formula gives.
struct RateLogs {
  RateLogs() = default;
  RateLogs(std::size_t models, double delta);

  std::size_t models = 0;
  double delta = 0;
  std::vector<double> rate;  ///< ln(k / n); -inf at k = 0
  std::vector<double> rest;  ///< ln(1 - delta - k / n); NaN where the argument is negative
};

/// eps of one attack that misjudges `false_positives` of the negative and `false_negatives` of the
/// positive models (paper: Algorithm 2): +inf if both are 0, NaN (discarded) if exactly one is 0 or
/// if both logarithms are undefined, else at least 0.
double attack_epsilon(std::size_t false_positives, std::size_t false_negatives,
                      const RateLogs& negative, const RateLogs& positive);

/// The same from rates that need not be fractions of models (smoothed samples).
double attack_epsilon(double false_positive_rate, double false_negative_rate, double delta);

/// Groups [first, last) of the pooled sample are called positive. epsilon is not capped, and NaN if
/// every attack of the family was discarded.
struct Attack {
  double epsilon = std::numeric_limits<double>::quiet_NaN();
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Two samples sorted and merged into groups of equal values: a cut can only lie between groups.
/// Reused from row to row, because allocation would cost more than the sweep.
class PooledSample {
 public:
  /// InputError if a sample is empty or holds NaN. Infinite values are ordinary values.
  void assign(std::span<const double> unlearned, std::span<const double> retrained);

  std::size_t groups() const { return values_.size(); }
  /// Distinct values, ascending.
  const std::vector<double>& values() const { return values_; }
  /// Models of a side in groups [0, g), g = 0 .. groups(): whole numbers, kept as doubles because
  /// the scans multiply them.
  const std::vector<double>& unlearned_below() const { return unlearned_below_; }
  const std::vector<double>& retrained_below() const { return retrained_below_; }
  /// True if both samples hold the same values equally often.
  bool equal() const { return equal_; }
  /// Which sample counts as positive in the single-threshold family: the one with the larger
  /// median; unlearned on equal medians.
  bool positive_is_retrained() const { return positive_is_retrained_; }
  /// Which sample is the peakiest: the smaller max - min; on equal ranges the one with the lower
  /// median; on equal medians too, retrained.
  bool peaky_is_retrained() const { return peaky_is_retrained_; }

 private:
  std::vector<double> unlearned_sorted_;
  std::vector<double> retrained_sorted_;
  std::vector<double> values_;
  std::vector<double> unlearned_below_;
  std::vector<double> retrained_below_;
  bool equal_ = false;
  bool positive_is_retrained_ = false;
  bool peaky_is_retrained_ = false;
};

/// The strongest single-threshold attack, the lowest cut among equals: one scan.
Attack best_single(const PooledSample& sample, const RateLogs& unlearned,
                   const RateLogs& retrained);

/// The strongest double-threshold attack: Dinkelbach's method over maximum-subarray scans. Which of
/// several equally strong intervals is returned is not specified.
Attack best_double(const PooledSample& sample, const RateLogs& unlearned,
                   const RateLogs& retrained);

/// The same with the lowest interval among equals (lowest start, then lowest end).
Attack lowest_double(const PooledSample& sample, const RateLogs& unlearned,
                     const RateLogs& retrained);

}  // namespace vestige::metrics
