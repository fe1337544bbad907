// Jensen-Shannon divergence: of probability vectors, and of two samples by a shared histogram.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Divergence in bits of two vectors of non-negative weights, each scaled to sum 1: 0 for equal
/// ones, 1 for disjoint ones. NaN if a vector is empty or sums to 0.
double jensen_shannon(std::span<const double> p, std::span<const double> q);

/// The form of SFRon's public evaluation, in nats: `epsilon` is added inside each logarithm, and
/// the vectors are taken as they stand.
double jensen_shannon_smoothed(std::span<const double> p, std::span<const double> q,
                               double epsilon = 1e-20);

struct SampleHistograms {
  std::vector<double> edges;  ///< bins + 1
  std::vector<double> x;      ///< counts
  std::vector<double> y;
};

/// Equal-width bins over the pooled range, the last one closed, as numpy.histogram; a range of
/// width 0 is widened by 0.5 to both sides. Needs at least one bin and one finite value.
SampleHistograms pooled_histograms(std::span<const double> x, std::span<const double> y,
                                   std::size_t bins);

/// jensen_shannon of the pooled histograms, in bits; NaN if a sample is empty or holds NaN.
double jensen_shannon_samples(std::span<const double> x, std::span<const double> y,
                              std::size_t bins = 20);

}  // namespace vestige::metrics
