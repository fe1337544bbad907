// Bootstrap intervals: percentile and BCa (Efron 1987), the same bytes for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

enum class BootstrapKind { percentile, bca };

struct BootstrapOptions {
  std::size_t replicates = 2000;            ///< resamples
  double level = 0.95;                      ///< two-sided
  BootstrapKind kind = BootstrapKind::bca;  ///< BCa corrects bias and skewness
  std::uint64_t seed = 1;                   ///< root seed
  std::string_view purpose = "bootstrap";   ///< names the random stream
};

/// A statistic of the rows with the given indices (with repetition).
using IndexStatistic = std::function<double(std::span<const std::size_t>)>;

/// Replicates of `statistic` on resamples of {0, ..., count - 1} with replacement; replicate i
/// draws from Stream(seed, purpose, i). `statistic` is called from several threads.
std::vector<double> bootstrap_replicates(std::size_t count, const IndexStatistic& statistic,
                                         const BootstrapOptions& options = {});

/// The statistic on all rows with its bootstrap interval. Resamples on which it is NaN are left
/// out. NaN interval: fewer than two rows, no usable resample, or BCa with the value outside all of
/// them.
Estimate bootstrap(std::size_t count, const IndexStatistic& statistic,
                   const BootstrapOptions& options = {});

/// How often each row is drawn in each replicate, kept for several means over as many rows: drawing
/// costs far more than summing.
class BootstrapCounts {
 public:
  /// [replicates, count]; empty where it would take more than is left of 128 MB. Not for several
  /// threads at once.
  std::span<const std::uint8_t> of(std::size_t count, const BootstrapOptions& options);

 private:
  std::size_t room_ = std::size_t{128} << 20U;
  using Key = std::tuple<std::size_t, std::size_t, std::uint64_t, std::string>;
  std::map<Key, std::vector<std::uint8_t>> kept_;  ///< by count, replicates, seed and purpose
};

/// Mean of `values` with its bootstrap interval. With `counts` the sums run in the order of the
/// rows and not of the draws, which shows in the last digit.
Estimate bootstrap_mean(std::span<const double> values, const BootstrapOptions& options = {},
                        BootstrapCounts* counts = nullptr);

/// Means of several columns of equal length with their intervals, all on the same draws: each is
/// what bootstrap_mean gives with counts. A replicate is drawn once for all columns and not kept,
/// so that rows may be many.
std::vector<Estimate> bootstrap_means(std::span<const std::span<const double>> columns,
                                      const BootstrapOptions& options = {});

}  // namespace vestige::metrics
