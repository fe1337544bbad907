// Jensen-Shannon divergence.
#include "vestige/metrics/stats/jsd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

// numpy.histogram's rule: scale, truncate, then move by one where the edges say otherwise, so that
// rounding of the scale never puts a value on the wrong side of an edge.
std::vector<double> histogram(std::span<const double> values, std::span<const double> edges) {
  const std::size_t bins = edges.size() - 1;
  const double first = edges.front();
  const double width = edges.back() - first;
  const auto scale = static_cast<double>(bins);
  std::vector<double> counts(bins);
  for (const double value : values) {
    // At most bins: a signed conversion is one instruction.
    auto bin = static_cast<std::size_t>(static_cast<std::int64_t>((value - first) / width * scale));
    bin = std::min(bin, bins - 1);
    const bool below = value < edges[bin];
    const bool above = !below && value >= edges[bin + 1] && bin != bins - 1;
    counts[bin - static_cast<std::size_t>(below) + static_cast<std::size_t>(above)] += 1;
  }
  return counts;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool has_nan = false;
};

/// Four at a time, which do not wait for each other. SDE compares hundreds of thousands of pairs of
/// samples, and looking for their range took as long as counting them.
Range range_of(std::span<const double> values) {
  constexpr std::size_t kLanes = 4;
  std::array<Range, kLanes> lanes;
  const auto take = [](Range& range, double value) {
    range.low = value < range.low ? value : range.low;
    range.high = value > range.high ? value : range.high;
    range.has_nan |= value != value;
  };
  std::size_t index = 0;
  for (; index + kLanes <= values.size(); index += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) take(lanes[lane], values[index + lane]);
  }
  for (; index < values.size(); ++index) take(lanes[0], values[index]);
  Range all = lanes[0];
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    all.low = std::min(all.low, lanes[lane].low);
    all.high = std::max(all.high, lanes[lane].high);
    all.has_nan |= lanes[lane].has_nan;
  }
  return all;
}

SampleHistograms histograms_over(double low, double high, std::span<const double> x,
                                 std::span<const double> y, std::size_t bins) {
  require(std::isfinite(low) && std::isfinite(high),
          "a histogram over [{}, {}]: give finite values", low, high);
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  SampleHistograms result;
  result.edges.resize(bins + 1);
  const double step = (high - low) / static_cast<double>(bins);
  for (std::size_t i = 0; i <= bins; ++i) result.edges[i] = low + static_cast<double>(i) * step;
  result.edges.back() = high;
  result.x = histogram(x, result.edges);
  result.y = histogram(y, result.edges);
  return result;
}

}  // namespace

double jensen_shannon(std::span<const double> p, std::span<const double> q) {
  require(p.size() == q.size(), "distributions over {} and {} values: both need the same", p.size(),
          q.size());
  const double p_total = std::accumulate(p.begin(), p.end(), 0.0);
  const double q_total = std::accumulate(q.begin(), q.end(), 0.0);
  if (!(p_total > 0 && q_total > 0)) return kUndefined;
  // Weighted by the counts themselves, not by shares: disjoint histograms give exactly 1.
  double from_p = 0;
  double from_q = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double left = p[i] / p_total;
    const double right = q[i] / q_total;
    const double middle = 0.5 * (left + right);
    if (left > 0) from_p += p[i] * std::log2(left / middle);
    if (right > 0) from_q += q[i] * std::log2(right / middle);
  }
  return std::max(0.0, 0.5 * (from_p / p_total + from_q / q_total));
}

double jensen_shannon_smoothed(std::span<const double> p, std::span<const double> q,
                               double epsilon) {
  require(p.size() == q.size(), "distributions over {} and {} values: both need the same", p.size(),
          q.size());
  double nats = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double middle = 0.5 * (p[i] + q[i]);
    nats += 0.5 * p[i] * std::log((p[i] + epsilon) / (middle + epsilon));
    nats += 0.5 * q[i] * std::log((q[i] + epsilon) / (middle + epsilon));
  }
  return nats;
}

SampleHistograms pooled_histograms(std::span<const double> x, std::span<const double> y,
                                   std::size_t bins) {
  require(bins >= 1, "a histogram of 0 bins: give at least 1");
  require(!x.empty() || !y.empty(), "a histogram of no values: give at least one");
  const Range of_x = range_of(x), of_y = range_of(y);
  require(!of_x.has_nan && !of_y.has_nan,
          "a histogram of values that are no number: give finite values");
  return histograms_over(std::min(of_x.low, of_y.low), std::max(of_x.high, of_y.high), x, y, bins);
}

double jensen_shannon_samples(std::span<const double> x, std::span<const double> y,
                              std::size_t bins) {
  if (x.empty() || y.empty()) return kUndefined;
  const Range of_x = range_of(x), of_y = range_of(y);
  if (of_x.has_nan || of_y.has_nan) return kUndefined;
  require(bins >= 1, "a histogram of 0 bins: give at least 1");
  const SampleHistograms histograms =
      histograms_over(std::min(of_x.low, of_y.low), std::max(of_x.high, of_y.high), x, y, bins);
  return jensen_shannon(histograms.x, histograms.y);
}

}  // namespace vestige::metrics
