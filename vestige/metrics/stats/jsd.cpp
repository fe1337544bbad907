// Jensen-Shannon divergence.
#include "vestige/metrics/stats/jsd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

// numpy.histogram's rule: scale, truncate, then move by one where the edges say otherwise, so that
// rounding of the scale never puts a value on the wrong side of an edge.
std::vector<double> histogram(std::span<const double> values, const std::vector<double>& edges) {
  const std::size_t bins = edges.size() - 1;
  const double first = edges.front();
  const double width = edges.back() - first;
  std::vector<double> counts(bins);
  for (const double value : values) {
    auto bin = static_cast<std::size_t>((value - first) / width * static_cast<double>(bins));
    if (bin >= bins) bin = bins - 1;
    if (value < edges[bin]) {
      --bin;
    } else if (value >= edges[bin + 1] && bin != bins - 1) {
      ++bin;
    }
    counts[bin] += 1;
  }
  return counts;
}

bool has_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
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
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto values : {x, y}) {
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
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

double jensen_shannon_samples(std::span<const double> x, std::span<const double> y,
                              std::size_t bins) {
  if (x.empty() || y.empty() || has_nan(x) || has_nan(y)) return kUndefined;
  const SampleHistograms histograms = pooled_histograms(x, y, bins);
  return jensen_shannon(histograms.x, histograms.y);
}

}  // namespace vestige::metrics
