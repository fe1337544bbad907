// Mean ranks with bootstrap over blocks, Kendall's tau-b, Page's trend test.
#include "vestige/metrics/stats/ranking.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/matrix.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kLargestExact = 7;  // 5,040 orders

bool unranked(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

Matrix ranks_within(MatrixView values) {
  Matrix ranks(values.rows, values.cols);
  for (std::size_t block = 0; block < values.rows; ++block) {
    const std::vector<double> own = mid_ranks(values.row(block));
    std::copy(own.begin(), own.end(), ranks.row(block).begin());
  }
  return ranks;
}

/// Mean ranks of `count` resampled blocks, written to `means`.
void resampled_means(const Matrix& ranks, Stream& stream, std::span<double> means) {
  std::fill(means.begin(), means.end(), 0.0);
  for (std::size_t draw = 0; draw < ranks.rows(); ++draw) {
    const auto row = ranks.row(stream.below(ranks.rows()));
    for (std::size_t item = 0; item < means.size(); ++item) means[item] += row[item];
  }
  for (double& value : means) value /= static_cast<double>(ranks.rows());
}

void add_stability(const Matrix& ranks, const RankingOptions& options, std::vector<Ranked>& out) {
  const std::size_t items = out.size();
  Matrix replicates(options.resamples, items);
  parallel_for(options.resamples, [&](std::size_t replicate) {
    Stream stream(options.seed, "ranking", replicate);
    resampled_means(ranks, stream, replicates.row(replicate));
  });
  for (Ranked& item : out) item.best = 0;
  for (std::size_t replicate = 0; replicate < options.resamples; ++replicate) {
    const auto means = replicates.row(replicate);
    const double least = *std::min_element(means.begin(), means.end());
    const auto winners = std::count(means.begin(), means.end(), least);
    for (std::size_t item = 0; item < items; ++item) {
      if (means[item] == least) out[item].best += 1.0 / static_cast<double>(winners);
    }
  }
  std::vector<double> column(options.resamples);
  for (std::size_t item = 0; item < items; ++item) {
    out[item].best /= static_cast<double>(options.resamples);
    for (std::size_t i = 0; i < options.resamples; ++i) column[i] = replicates(i, item);
    out[item].rank.lower = quantile(column, (1 - options.level) / 2);
    out[item].rank.upper = quantile(column, (1 + options.level) / 2);
  }
}

int sign(double value) { return (value > 0) - (value < 0); }

/// Below so many pairs of values all of them are looked at.
constexpr std::size_t kFewPairs = 32;

/// Pairs among groups of equal neighbours.
template <typename Iterator>
long tied_pairs(Iterator first, Iterator last) {
  long pairs = 0;
  while (first != last) {
    const Iterator next =
        std::find_if(first, last, [first](const auto& value) { return value != *first; });
    const long size = next - first;
    pairs += size * (size - 1) / 2;
    first = next;
  }
  return pairs;
}

/// Pairs of which the first is larger than the second; sorts the values.
long inversions(std::vector<double>& values) {
  std::vector<double> merged(values.size());
  long found = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t first = 0; first < values.size(); first += 2 * width) {
      const std::size_t middle = std::min(first + width, values.size());
      const std::size_t last = std::min(first + 2 * width, values.size());
      std::size_t left = first, right = middle;
      for (std::size_t out = first; out < last; ++out) {
        if (right == last || (left < middle && values[left] <= values[right])) {
          merged[out] = values[left++];
        } else {
          merged[out] = values[right++];
          found += static_cast<long>(middle - left);
        }
      }
    }
    values.swap(merged);
  }
  return found;
}

/// Concordant less discordant pairs, of many values by merge sort (Knight 1966, "A computer method
/// for calculating Kendall's tau with ungrouped data").
long sorted_concordance(std::span<const double> x, std::span<const double> y) {
  std::vector<std::pair<double, double>> both(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) both[i] = {x[i], y[i]};
  std::sort(both.begin(), both.end());
  std::vector<double> left(x.size()), right(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) std::tie(left[i], right[i]) = both[i];
  // Of pairs that are tied in x the second values ascend, so that none of them is an inversion.
  const long discordant = inversions(right);
  const auto n = static_cast<long>(x.size());
  const long tied = tied_pairs(left.begin(), left.end()) + tied_pairs(right.begin(), right.end()) -
                    tied_pairs(both.begin(), both.end());
  return n * (n - 1) / 2 - tied - 2 * discordant;
}

/// Concordant less discordant pairs.
long concordance(std::span<const double> x, std::span<const double> y) {
  if (x.size() >= kFewPairs) return sorted_concordance(x, y);
  long score = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) score += sign(x[i] - x[j]) * sign(y[i] - y[j]);
  }
  return score;
}

/// Sums over groups of t equal values.
struct Ties {
  double pairs = 0;    ///< t (t - 1) / 2
  double triples = 0;  ///< t (t - 1) (t - 2)
  double spread = 0;   ///< t (t - 1) (2 t + 5)
};

Ties ties_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Ties ties;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto next = std::upper_bound(first, sorted.end(), *first);
    const auto t = static_cast<double>(next - first);
    first = next;
    ties.pairs += t * (t - 1) / 2;
    ties.triples += t * (t - 1) * (t - 2);
    ties.spread += t * (t - 1) * (2 * t + 5);
  }
  return ties;
}

double every_order_p(std::span<const double> x, std::span<const double> y, long observed) {
  std::vector<std::size_t> order(y.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> shuffled(y.size());
  double extreme = 0, all = 0;
  do {
    for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = y[order[i]];
    all += 1;
    if (std::abs(concordance(x, shuffled)) >= std::abs(observed)) extreme += 1;
  } while (std::next_permutation(order.begin(), order.end()));
  return extreme / all;
}

/// Variance of concordant - discordant under independence (Kendall 1970, eq. 4.4).
double score_variance(double n, const Ties& x, const Ties& y) {
  return (n * (n - 1) * (2 * n + 5) - x.spread - y.spread) / 18 +
         4 * x.pairs * y.pairs / (2 * n * (n - 1)) +
         x.triples * y.triples / (9 * n * (n - 1) * (n - 2));
}

/// Doubled mid-ranks of a block: whole numbers.
std::vector<long> doubled_ranks(std::span<const double> row) {
  std::vector<long> result;
  for (const double rank : mid_ranks(row)) result.push_back(std::lround(2 * rank));
  return result;
}

/// Twice Page's L of one block: sum over columns of position * doubled rank.
long page_score(const std::vector<long>& ranks) {
  long score = 0;
  for (std::size_t j = 0; j < ranks.size(); ++j) score += static_cast<long>(j + 1) * ranks[j];
  return score;
}

using Distribution = std::map<long, double>;

/// Distribution of a block's score over all orders of its ranks.
Distribution every_order(std::vector<long> ranks) {
  std::sort(ranks.begin(), ranks.end());
  Distribution counts;
  double all = 0;
  do {  // distinct orders of tied ranks are equally likely, so ties need no weights
    counts[page_score(ranks)] += 1;
    all += 1;
  } while (std::next_permutation(ranks.begin(), ranks.end()));
  for (auto& [score, probability] : counts) probability /= all;
  return counts;
}

void exact_trend(const std::vector<std::vector<long>>& blocks, long observed, Trend& result) {
  Distribution total = {{0, 1.0}};
  for (const std::vector<long>& ranks : blocks) {
    Distribution next;
    const Distribution own = every_order(ranks);
    for (const auto& [left, p] : total) {
      for (const auto& [right, q] : own) next[left + right] += p * q;
    }
    total = std::move(next);
  }
  result.rising = result.falling = 0;
  for (const auto& [score, probability] : total) {
    if (score >= observed) result.rising += probability;
    if (score <= observed) result.falling += probability;
  }
}

/// Given the ranks of a block, L has mean k (k+1)^2 / 4 and variance
/// (sum of (j - mean)^2) (sum of (rank - mean)^2) / (k - 1); without ties this is Page's.
void normal_trend(const std::vector<std::vector<long>>& blocks, long observed, Trend& result) {
  const auto k = static_cast<double>(result.points);
  const double column_squares = k * (k * k - 1) / 12;
  double center = 0, spread = 0;
  for (const std::vector<long>& ranks : blocks) {
    double rank_squares = 0;
    for (const long rank : ranks) {
      const double off = static_cast<double>(rank) / 2 - (k + 1) / 2;
      rank_squares += off * off;
    }
    center += k * (k + 1) * (k + 1) / 4;
    spread += column_squares * rank_squares / (k - 1);
  }
  if (spread == 0) {
    result.rising = result.falling = 1;
    return;
  }
  const boost::math::normal standard;
  const double z = (static_cast<double>(observed) / 2 - center) / std::sqrt(spread);
  result.rising = boost::math::cdf(boost::math::complement(standard, z));
  result.falling = boost::math::cdf(standard, z);
}

}  // namespace

std::vector<Ranked> rank_over_blocks(MatrixView values, const RankingOptions& options) {
  require(options.resamples > 0, "a ranking needs at least one resample");
  std::vector<Ranked> result(values.cols);
  if (values.rows == 0) return result;
  const Matrix ranks = ranks_within(values);
  const auto blocks = static_cast<double>(values.rows);
  for (std::size_t item = 0; item < values.cols; ++item) {
    double sum = 0, rank_sum = 0;
    for (std::size_t block = 0; block < values.rows; ++block) {
      sum += values(block, item);
      rank_sum += ranks(block, item);
    }
    result[item].mean_value = sum / blocks;
    result[item].rank.value = rank_sum / blocks;
  }
  if (values.rows >= 2 && values.cols > 0) add_stability(ranks, options, result);
  return result;
}

Kendall kendall_tau(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "a correlation got {} and {} values: both must be one per pair",
          x.size(), y.size());
  Kendall result{.n = x.size()};
  if (x.size() < 2 || unranked(x) || unranked(y)) return result;
  const auto n = static_cast<double>(x.size());
  const Ties x_ties = ties_of(x);
  const Ties y_ties = ties_of(y);
  const double pairs = n * (n - 1) / 2;
  if (x_ties.pairs == pairs || y_ties.pairs == pairs) return result;
  const long score = concordance(x, y);
  const double scale = std::sqrt((pairs - x_ties.pairs) * (pairs - y_ties.pairs));
  result.tau = std::clamp(static_cast<double>(score) / scale, -1.0, 1.0);
  if (x.size() <= kLargestExact) {
    result.p = every_order_p(x, y, score);
  } else {
    const double z =
        static_cast<double>(std::abs(score)) / std::sqrt(score_variance(n, x_ties, y_ties));
    result.p = 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
  }
  return result;
}

Trend page_trend(MatrixView values) {
  Trend result{.blocks = values.rows, .points = values.cols};
  if (values.rows == 0 || values.cols < 2 || unranked(values.values())) return result;
  std::vector<double> positions(values.cols);
  std::iota(positions.begin(), positions.end(), 1.0);
  std::vector<std::vector<long>> blocks;
  long observed = 0;
  double rho = 0;
  for (std::size_t block = 0; block < values.rows; ++block) {
    blocks.push_back(doubled_ranks(values.row(block)));
    observed += page_score(blocks.back());
    const double own = spearman(positions, values.row(block)).rho;
    rho += std::isnan(own) ? 0 : own;  // all equal: no order either way
  }
  result.mean_rho = rho / static_cast<double>(values.rows);
  if (values.cols <= kLargestExact) {
    exact_trend(blocks, observed, result);
  } else {
    normal_trend(blocks, observed, result);
  }
  return result;
}

double critical_difference(std::size_t items, std::size_t blocks) {
  // Upper 5 % points of the studentized range for infinite degrees of freedom, divided by sqrt 2.
  constexpr std::array<double, 19> kPoints = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031,
                                              3.102, 3.164, 3.219, 3.268, 3.313, 3.354, 3.391,
                                              3.426, 3.458, 3.489, 3.517, 3.544};
  if (items < 2 || items > kPoints.size() + 1 || blocks < 2) return kUndefined;
  const auto k = static_cast<double>(items), n = static_cast<double>(blocks);
  return kPoints[items - 2] * std::sqrt(k * (k + 1) / (6 * n));
}

}  // namespace vestige::metrics
