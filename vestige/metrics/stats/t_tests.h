// Student's t-tests: paired, Welch, and two one-sided tests of equivalence. Undefined answers (too
// few values, no variance) are NaN.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

struct PairedT {
  std::size_t n = 0;
  double mean_difference = kUndefined;  ///< mean of a - b
  double sd_difference = kUndefined;    ///< ddof 1
  double t = kUndefined;                ///< +-inf for a constant difference other than 0
  double p = kUndefined;
  double cohen_d = kUndefined;  ///< mean / sd of the differences
  double lower = kUndefined;    ///< two-sided t interval of the mean difference
  double upper = kUndefined;
};

/// Paired t-test of a against b (equal lengths). All differences 0, or fewer than two: t, p, d NaN.
PairedT paired_t(std::span<const double> a, std::span<const double> b,
                 Alternative alternative = Alternative::greater, double level = 0.95);

/// The same test from what papers print: mean difference and its two-sided interval over n pairs.
PairedT paired_t_from_interval(double mean_difference, double lower, double upper, std::size_t n,
                               Alternative alternative = Alternative::greater, double level = 0.95);

struct WelchT {
  double mean_difference = kUndefined;  ///< mean of a - mean of b
  double standard_error = kUndefined;
  double degrees_of_freedom = kUndefined;  ///< Welch-Satterthwaite
  double t = kUndefined;
  double p = kUndefined;
  double lower = kUndefined;  ///< two-sided t interval of the difference
  double upper = kUndefined;
};

/// Welch's t-test for two independent samples; NaN if either has fewer than two values or if both
/// have zero variance.
WelchT welch_t(std::span<const double> a, std::span<const double> b,
               Alternative alternative = Alternative::two_sided, double level = 0.95);

struct Equivalence {
  double mean_difference = kUndefined;
  double p = kUndefined;  ///< the larger of the two one-sided p-values
  double lower =
      kUndefined;  ///< interval of level 1 - 2 alpha; inside (-margin, margin) iff p < alpha
  double upper = kUndefined;
  bool equivalent = false;  ///< p < alpha; false where p is undefined
};

/// Two one-sided t-tests (Schuirmann 1987): is |mean(a) - mean(b)| shown to be below `margin`?
Equivalence tost_welch(std::span<const double> a, std::span<const double> b, double margin,
                       double alpha = 0.05);
/// The same on paired differences.
Equivalence tost_paired(std::span<const double> a, std::span<const double> b, double margin,
                        double alpha = 0.05);

}  // namespace vestige::metrics
