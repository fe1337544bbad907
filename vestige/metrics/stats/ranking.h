// Rankings: mean ranks over blocks with their bootstrap stability, and agreement of two rankings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// One item among those ranked; small values rank first.
struct Ranked {
  double mean_value = kUndefined;  ///< over the blocks
  Estimate rank{};                 ///< mean over blocks of the rank within a block; 1 is best
  double best = kUndefined;  ///< share of resamples in which its mean rank is the least; ties share
};

struct RankingOptions {
  std::size_t resamples = 2000;  ///< of whole blocks
  double level = 0.95;           ///< of the percentile interval of the mean rank
  std::uint64_t seed = 1;
};

/// Nemenyi's critical difference of mean ranks at 0.05: two of `items` items ranked over `blocks`
/// blocks differ where their mean ranks are farther apart, q sqrt(k (k + 1) / (6 N)) (Demsar 2006,
/// section 3.2.2 and Table 5). NaN for fewer than two blocks, fewer than two items, or more
/// than 20.
double critical_difference(std::size_t items, std::size_t blocks);

/// `values`: one row per block, one column per item, no NaN. Ranks within a block, ties share the
/// mean of their ranks. Interval and `best` are NaN for fewer than two blocks.
std::vector<Ranked> rank_over_blocks(MatrixView values, const RankingOptions& options = {});

struct Kendall {
  std::size_t n = 0;
  double tau = kUndefined;  ///< tau-b (Kendall 1945): corrected for ties
  double p = kUndefined;    ///< two-sided
};

/// Kendall's tau-b. p from all orders up to 7 pairs, from the normal approximation with tie
/// correction (Kendall, Rank Correlation Methods, 1970) beyond. NaN for fewer than two pairs, a
/// constant input or NaN values.
Kendall kendall_tau(std::span<const double> x, std::span<const double> y);

struct Trend {
  std::size_t blocks = 0;
  std::size_t points = 0;
  double mean_rho = kUndefined;  ///< mean over blocks of Spearman's rho with the columns' order
  double rising = kUndefined;    ///< one-sided p against "no order", for values that rise
  double falling = kUndefined;
};

/// Page's trend test (1963): do the columns rise from first to last, over blocks (rows)? Exact,
/// given the ties, up to 7 columns; normal with Page's variance beyond. NaN below two columns or
/// blocks 0.
Trend page_trend(MatrixView values);

}  // namespace vestige::metrics
