// Shared bins over the joint range, and the divergence of the two histograms.
#include "vestige/metrics/klom/klom.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"

namespace vestige::metrics {
namespace {

/// Shares of a sample by bin; all 0 where every value was left out.
class Bins {
 public:
  Bins(double least, double most, const KlomOptions& options)
      : options_(options), edges_(options.bins + 1) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      edges_[i] =
          least + (most - least) * static_cast<double>(i) / static_cast<double>(options.bins);
    }
    edges_.back() = most;
  }

  std::vector<double> shares(std::span<const double> values) const {
    std::vector<double> counts(options_.bins);
    double total = 0;
    for (const double value : values) {
      const double clipped = std::clamp(value, -options_.clip, options_.clip);
      auto place = static_cast<std::size_t>(
          std::upper_bound(edges_.begin(), edges_.end(), clipped) - edges_.begin());
      if (place > options_.bins && options_.mode == KlomMode::exact) place = options_.bins;
      if (place == 0 || place > options_.bins) continue;
      counts[place - 1] += 1;
      total += 1;
    }
    if (total > 0) {
      for (double& count : counts) count /= total;
    }
    return counts;
  }

 private:
  const KlomOptions& options_;
  std::vector<double> edges_;
};

bool has_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

}  // namespace

double binned_divergence(std::span<const double> p, std::span<const double> q,
                         const KlomOptions& options) {
  require(options.bins > 0, "KLoM: bins is 0: give at least 1");
  if (p.empty() || q.empty() || has_nan(p) || has_nan(q)) return kUndefined;
  const auto [p_least, p_most] = std::minmax_element(p.begin(), p.end());
  const auto [q_least, q_most] = std::minmax_element(q.begin(), q.end());
  const double least = std::clamp(std::min(*p_least, *q_least), -options.clip, options.clip);
  double most = std::clamp(std::max(*p_most, *q_most), -options.clip, options.clip);
  if (least >= most) most = least + 1;
  const Bins bins(least, most, options);
  const std::vector<double> ours = bins.shares(p), theirs = bins.shares(q);
  double sum = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] > 0) sum += ours[i] * std::log(ours[i] / std::max(theirs[i], options.least_share));
  }
  return sum;
}

std::vector<double> klom(MatrixView unlearned, MatrixView retrained, const KlomOptions& options) {
  require(unlearned.cols == retrained.cols,
          "KLoM: unlearned models have {} rows, retrained ones {}: both must cover the same rows",
          unlearned.cols, retrained.cols);
  require(unlearned.rows > 0 && retrained.rows > 0,
          "KLoM: there are {} unlearned and {} retrained models: give at least one of each",
          unlearned.rows, retrained.rows);
  std::vector<double> result(unlearned.cols);
  parallel_ranges(result.size(), 64, [&](std::size_t first, std::size_t last) {
    std::vector<double> ours(unlearned.rows), theirs(retrained.rows);
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t i = 0; i < ours.size(); ++i) ours[i] = unlearned(i, row);
      for (std::size_t i = 0; i < theirs.size(); ++i) theirs[i] = retrained(i, row);
      result[row] = binned_divergence(ours, theirs, options);
    }
  });
  return result;
}

}  // namespace vestige::metrics
