// Histograms, sorted scores and thinned ROC curves.
#include "vestige/metrics/series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

constexpr double kInvisible = 1e-6;  // of a unit square: a sixth of a pixel of a plot of 400 x 400

/// A curve on the axes it is drawn on.
struct Axes {
  std::vector<double> x;
  std::vector<double> y;

  double triangle(std::size_t a, std::size_t b, std::size_t c) const {
    return std::abs((x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])) / 2;
  }
};

/// log(value) scaled so that half of the smallest value above 0 is 0 and 1 is 1; 0 is drawn at 0.
std::vector<double> on_log_axis(const std::vector<double>& rates) {
  double smallest = 1;
  for (const double rate : rates) {
    if (rate > 0) smallest = std::min(smallest, rate);
  }
  const double least = std::log(smallest / 2);
  std::vector<double> scaled;
  scaled.reserve(rates.size());
  for (const double rate : rates) scaled.push_back(rate > 0 ? 1 - std::log(rate) / least : 0);
  return scaled;
}

/// Without the inner points of vertical and horizontal pieces, which change nothing on any axes.
RocCurve corners(const RocCurve& curve) {
  RocCurve kept;
  const std::size_t last = curve.fpr.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const bool inner = i > 0 && i < last;
    const bool vertical =
        inner && curve.fpr[i - 1] == curve.fpr[i] && curve.fpr[i] == curve.fpr[i + 1];
    const bool horizontal =
        inner && curve.tpr[i - 1] == curve.tpr[i] && curve.tpr[i] == curve.tpr[i + 1];
    if (vertical || horizontal) continue;
    kept.fpr.push_back(curve.fpr[i]);
    kept.tpr.push_back(curve.tpr[i]);
  }
  return kept;
}

struct Candidate {
  double area;
  std::size_t point;
  std::size_t version;  ///< an entry whose point has a newer version is stale
  bool operator>(const Candidate& other) const {
    return std::pair(area, point) > std::pair(other.area, other.point);
  }
};

}  // namespace

bool gives_series(const Comparison& comparison) {
  if (comparison.candidate.empty()) return false;
  const evidence::Model& model = *comparison.candidate.front();
  const evidence::Group* group = comparison.evidence->find(model.role, model.method);
  return group == nullptr || &group->models.front() == &model;
}

Series make_series(std::string kind, std::string metric, const Comparison& comparison) {
  Series series;
  series.kind = std::move(kind);
  series.metric = std::move(metric);
  series.subject = comparison.subject;
  series.control = comparison.control;
  return series;
}

std::vector<double> equal_bins(double low, double high, std::size_t count) {
  require(count > 0, "a histogram needs at least one bin");
  require(std::isfinite(low) && std::isfinite(high) && low <= high,
          "a histogram's ends are {} and {}: give two numbers in ascending order", low, high);
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  std::vector<double> edges;
  for (std::size_t i = 0; i <= count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count);
    edges.push_back(i == count ? high : low + share * (high - low));
  }
  return edges;
}

std::vector<double> pooled_bins(const std::vector<std::span<const double>>& groups,
                                std::size_t count) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const std::span<const double> values : groups) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return low > high ? std::vector<double>() : equal_bins(low, high, count);
}

Histogram count_bins(std::span<const double> values, std::span<const double> edges) {
  Histogram result;
  if (edges.size() < 2) {
    result.left_out = values.size();
    return result;
  }
  result.counts.resize(edges.size() - 1);
  for (const double value : values) {
    if (!(value >= edges.front() && value <= edges.back())) {  // NaN is in no bin
      ++result.left_out;
      continue;
    }
    const auto above = std::upper_bound(edges.begin(), edges.end(), value);
    const auto bin = static_cast<std::size_t>(above - edges.begin()) - 1;
    ++result.counts[std::min(bin, result.counts.size() - 1)];
  }
  return result;
}

Series histogram_series(std::string metric, std::string group, std::span<const double> values,
                        std::span<const double> edges, const Comparison& comparison) {
  Series series = make_series("histogram", std::move(metric), comparison);
  series.group = std::move(group);
  const Histogram histogram = count_bins(values, edges);
  std::vector<double> left, right, count;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    left.push_back(edges[bin]);
    right.push_back(edges[bin + 1]);
    count.push_back(static_cast<double>(histogram.counts[bin]));
  }
  series.columns = {
      {"left", std::move(left)}, {"right", std::move(right)}, {"count", std::move(count)}};
  if (histogram.left_out > 0) series.params["left_out"] = histogram.left_out;
  return series;
}

Series sorted_series(std::string metric, std::span<const double> values,
                     const Comparison& comparison, std::size_t most) {
  require(most >= 2, "a sorted series of {} points: give at least 2", most);
  Series series = make_series("sorted", std::move(metric), comparison);
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double value) { return !std::isnan(value); });
  if (kept.size() < values.size()) series.params["left_out"] = values.size() - kept.size();
  std::sort(kept.begin(), kept.end(), std::greater<>());
  std::vector<double> share, value;
  const std::size_t points = std::min(kept.size(), most);
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t place = points < 2 ? 0 : i * (kept.size() - 1) / (points - 1);
    share.push_back(static_cast<double>(place + 1) / static_cast<double>(kept.size()));
    value.push_back(kept[place]);
  }
  series.columns = {{"share", std::move(share)}, {"value", std::move(value)}};
  return series;
}

RocCurve thin(const RocCurve& full, std::size_t most) {
  require(most >= 2, "a curve of {} points: give at least 2", most);
  if (full.fpr.size() <= 2) return full;
  const RocCurve curve = corners(full);
  const std::size_t count = curve.fpr.size();
  const Axes linear{curve.fpr, curve.tpr};
  const Axes logarithmic{on_log_axis(curve.fpr), on_log_axis(curve.tpr)};
  std::vector<std::size_t> before(count), after(count), version(count, 0);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  // A point that comes to stand out because its neighbour went counts at least as much as that one.
  const auto propose = [&](std::size_t point, double least) {
    const double area = std::max(linear.triangle(before[point], point, after[point]),
                                 logarithmic.triangle(before[point], point, after[point]));
    queue.push({std::max(area, least), point, ++version[point]});
  };
  for (std::size_t i = 0; i < count; ++i) {
    before[i] = i == 0 ? 0 : i - 1;
    after[i] = std::min(i + 1, count - 1);
  }
  for (std::size_t i = 1; i + 1 < count; ++i) propose(i, 0);
  std::vector<bool> gone(count, false);
  std::size_t left = count;
  while (!queue.empty()) {
    const Candidate next = queue.top();
    queue.pop();
    if (next.version != version[next.point]) continue;
    if (left <= most && next.area > kInvisible) break;
    gone[next.point] = true;
    --left;
    const std::size_t a = before[next.point], b = after[next.point];
    after[a] = b;
    before[b] = a;
    if (a > 0) propose(a, next.area);
    if (b + 1 < count) propose(b, next.area);
  }
  RocCurve kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (gone[i]) continue;
    kept.fpr.push_back(curve.fpr[i]);
    kept.tpr.push_back(curve.tpr[i]);
  }
  return kept;
}

Series roc_series(std::string metric, std::span<const double> members,
                  std::span<const double> others, const Comparison& comparison) {
  std::vector<double> scores(members.begin(), members.end());
  scores.insert(scores.end(), others.begin(), others.end());
  std::vector<int> labels(members.size(), 1);
  labels.resize(scores.size(), 0);
  RocCurve curve = thin(roc_curve(scores, labels));
  Series series = make_series("roc", std::move(metric), comparison);
  series.columns = {{"fpr", std::move(curve.fpr)}, {"tpr", std::move(curve.tpr)}};
  // False positive rates below 1 / negatives do not exist; the plot shades them.
  series.params["negatives"] = others.size();
  return series;
}

}  // namespace vestige::metrics
