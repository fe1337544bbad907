// The two-sample Kolmogorov-Smirnov test: are two samples drawn from one distribution?
#pragma once

#include <span>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct KolmogorovSmirnov {
  double statistic = kUndefined;  ///< largest distance of the empirical distribution functions
  double p = kUndefined;          ///< two-sided
  double log10_p = kUndefined;    ///< also where p is too small for a double
  bool exact = true;              ///< false: limiting distribution
};

/// As scipy.stats.ks_2samp (two-sided). Samples of equal size: exact at any size, by reflected
/// lattice paths (Gnedenko and Korolyuk 1951). Others: exact by counting paths that stay inside
/// while the larger has at most 10,000 values, else Kolmogorov's limit. NaN for an empty sample or
/// a NaN value; infinite values are values like others.
KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> x, std::span<const double> y);

}  // namespace vestige::metrics
