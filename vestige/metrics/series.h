// Points of plots: histograms, sorted scores and ROC curves, small enough to be shown for many
// methods at once. docs/reference/audit-output.md lists kinds and columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/result.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {

/// Most points of one curve.
inline constexpr std::size_t kMostPoints = 100;

/// Whether this comparison gives series: families of single models give them for the first model of
/// each group only (name order), so that a pool of 40 models does not give 40 curves.
bool gives_series(const Comparison& comparison);

/// A series of this comparison's model, without columns.
Series make_series(std::string kind, std::string metric, const Comparison& comparison);

/// Bins of equal width over [low, high], count + 1 edges. Equal ends are half a unit apart from the
/// bins' ends, as in numpy.histogram. InputError for no bins or ends that are not finite.
std::vector<double> equal_bins(double low, double high, std::size_t count);

/// Equal bins over the finite values of several groups together; empty where there is none.
std::vector<double> pooled_bins(const std::vector<std::span<const double>>& groups,
                                std::size_t count);

/// How many values lie in each bin [edge i, edge i + 1); the last bin holds its right end too.
struct Histogram {
  std::vector<std::size_t> counts;
  std::size_t left_out = 0;  ///< NaN, infinite or outside the edges
};
Histogram count_bins(std::span<const double> values, std::span<const double> edges);

/// Columns left, right and count; params.left_out where values are in no bin.
Series histogram_series(std::string metric, std::string group, std::span<const double> values,
                        std::span<const double> edges, const Comparison& comparison);

/// Columns share and value: the values from the largest on, NaN left out (params.left_out), at most
/// `most` of them at evenly spaced ranks with both ends. Share is rank / number of values.
Series sorted_series(std::string metric, std::span<const double> values,
                     const Comparison& comparison, std::size_t most = kMostPoints);

/// A curve through at most `most` of its own points, both ends among them, that looks the same on
/// linear and on logarithmic axes: of all inner points, again and again the one goes whose triangle
/// with its neighbours is smallest (Visvalingam and Whyatt 1993), measured as the larger of the
/// areas on linear axes and on log-log axes scaled to [0, 1]; points below 1e-6 go in any case. The
/// area under the curve changes by the triangles that were cut off.
RocCurve thin(const RocCurve& curve, std::size_t most = kMostPoints);

/// Columns fpr and tpr: members (label 1) against the others, thinned. Empty columns where the
/// curve is undefined.
Series roc_series(std::string metric, std::span<const double> members,
                  std::span<const double> others, const Comparison& comparison);

}  // namespace vestige::metrics
