// Percentile and BCa bootstrap.
#include "vestige/metrics/stats/bootstrap.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Acceleration of BCa from the jackknife: sum d^3 / (6 (sum d^2)^1.5), d = mean - leave-one-out
/// (Efron and Tibshirani 1993, eq. 14.15); 0 where all leave-one-out values agree.
double acceleration(std::size_t count, const IndexStatistic& statistic) {
  std::vector<double> jackknife(count);
  parallel_for(count, [&](std::size_t left_out) {
    std::vector<std::size_t> rows;
    rows.reserve(count - 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (i != left_out) rows.push_back(i);
    }
    jackknife[left_out] = statistic(rows);
  });
  const double center = mean(jackknife);
  double squares = 0, cubes = 0;
  for (const double value : jackknife) {
    const double d = center - value;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares == 0 ? 0 : cubes / (6 * std::pow(squares, 1.5));
}

/// The same of a mean. Leaving row i out moves it by (mean - x_i) / (n - 1), so the jackknife needs
/// no loop over leave-one-out samples; the factor cancels.
double acceleration_of_mean(std::span<const double> values, double center) {
  double squares = 0, cubes = 0;
  for (const double x : values) {
    const double d = x - center;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares == 0 ? 0 : cubes / (6 * std::pow(squares, 1.5));
}

/// Tail probabilities of the replicates between which the interval lies.
struct Tails {
  double lower = 0;
  double upper = 0;
};

Tails bca_tails(const std::vector<double>& replicates, double value, double accelerated,
                double level) {
  double below = 0;
  for (const double replicate : replicates) {
    if (replicate < value) below += 1;
    if (replicate == value) below += 0.5;
  }
  const double share = below / static_cast<double>(replicates.size());
  if (!(share > 0 && share < 1) || std::isnan(accelerated)) return {kUndefined, kUndefined};
  const boost::math::normal standard;
  const double bias = boost::math::quantile(standard, share);
  const auto tail = [&](double probability) {
    const double z = bias + boost::math::quantile(standard, probability);
    return boost::math::cdf(standard, bias + z / (1 - accelerated * z));
  };
  return {tail((1 - level) / 2), tail((1 + level) / 2)};
}

/// Four sums side by side: one chain of additions would wait for itself.
struct CountedSum {
  double sums[4] = {};

  /// Adds the rows from `first`, a multiple of four, up to `last`.
  void add(std::span<const double> values, const std::uint8_t* drawn, std::size_t first,
           std::size_t last) {
    std::size_t i = first;
    for (; i + 4 <= last; i += 4) {
#pragma GCC unroll 4
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += drawn[i + lane] * values[i + lane];
    }
    for (; i < last; ++i) sums[i % 4] += drawn[i] * values[i];
  }

  double mean(std::size_t size) const {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<double>(size);
  }
};

/// The mean of one replicate from how often it drew each row.
double mean_of_counts(std::span<const double> values, const std::uint8_t* drawn) {
  CountedSum sum;
  sum.add(values, drawn, 0, values.size());
  return sum.mean(values.size());
}

/// The mean of each replicate.
std::vector<double> means_of_counts(std::span<const double> values,
                                    std::span<const std::uint8_t> counts) {
  std::vector<double> means(counts.size() / values.size());
  parallel_ranges(means.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t replicate = first; replicate < last; ++replicate) {
      means[replicate] = mean_of_counts(values, counts.data() + replicate * values.size());
    }
  });
  return means;
}

/// Replicates that are drawn together, a byte for each of their rows, and rows (a multiple of four)
/// whose sums are taken together.
constexpr std::size_t kReplicatesAtOnce = 8;
constexpr std::size_t kRowsAtOnce = 4096;

/// How often a replicate draws each row, into `drawn`, which has a place for each.
void draw_counts(const BootstrapOptions& options, std::size_t replicate,
                 std::span<std::uint8_t> drawn) {
  Stream stream(options.seed, options.purpose, replicate);
  std::fill(drawn.begin(), drawn.end(), std::uint8_t{0});
  // One row in n draws is drawn once on average: 255 times is out of reach.
  for (std::size_t draw = 0; draw < drawn.size(); ++draw) ++drawn[stream.below(drawn.size())];
}

void check(const BootstrapOptions& options) {
  require(options.replicates > 0, "a bootstrap needs at least one replicate");
  require(options.level > 0 && options.level < 1,
          "confidence level {} is outside (0, 1): 0.95 is usual", options.level);
}

/// The interval around `value`; `accelerated` is only asked for by BCa.
Estimate interval(double value, std::vector<double> replicates,
                  const std::function<double()>& accelerated, const BootstrapOptions& options) {
  Estimate result{.value = value};
  std::erase_if(replicates, [](double replicate) { return std::isnan(replicate); });
  if (replicates.empty()) return result;
  Tails tails{(1 - options.level) / 2, (1 + options.level) / 2};
  if (options.kind == BootstrapKind::bca) {
    tails = bca_tails(replicates, value, accelerated(), options.level);
  }
  if (std::isnan(tails.lower) || std::isnan(tails.upper)) return result;
  result.lower = quantile(replicates, tails.lower);
  result.upper = quantile(replicates, tails.upper);
  return result;
}

}  // namespace

std::vector<double> bootstrap_replicates(std::size_t count, const IndexStatistic& statistic,
                                         const BootstrapOptions& options) {
  check(options);
  std::vector<double> replicates(options.replicates, kUndefined);
  if (count == 0) return replicates;
  parallel_ranges(options.replicates, 16, [&](std::size_t first, std::size_t last) {
    std::vector<std::size_t> rows(count);
    for (std::size_t replicate = first; replicate < last; ++replicate) {
      Stream stream(options.seed, options.purpose, replicate);
      for (std::size_t& row : rows) row = stream.below(count);
      replicates[replicate] = statistic(rows);
    }
  });
  return replicates;
}

Estimate bootstrap(std::size_t count, const IndexStatistic& statistic,
                   const BootstrapOptions& options) {
  check(options);
  if (count == 0) return {};
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const double value = statistic(rows);
  if (count < 2 || std::isnan(value)) return {.value = value};
  return interval(
      value, bootstrap_replicates(count, statistic, options),
      [&] { return acceleration(count, statistic); }, options);
}

std::span<const std::uint8_t> BootstrapCounts::of(std::size_t count,
                                                  const BootstrapOptions& options) {
  check(options);
  Key key{count, options.replicates, options.seed, std::string(options.purpose)};
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  const std::size_t bytes = options.replicates * count;
  if (bytes > room_) return {};
  std::vector<std::uint8_t> counts(bytes);
  parallel_ranges(options.replicates, 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t replicate = first; replicate < last; ++replicate) {
      draw_counts(options, replicate, {counts.data() + replicate * count, count});
    }
  });
  room_ -= bytes;
  return kept_.emplace(std::move(key), std::move(counts)).first->second;
}

Estimate bootstrap_mean(std::span<const double> values, const BootstrapOptions& options,
                        BootstrapCounts* counts) {
  check(options);
  const double value = mean(values);
  if (values.size() < 2 || std::isnan(value)) return {.value = value};
  const auto mean_of_rows = [&](std::span<const std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += values[row];
    return sum / static_cast<double>(rows.size());
  };
  const auto skewness = [&] { return acceleration_of_mean(values, value); };
  const auto drawn =
      counts != nullptr ? counts->of(values.size(), options) : std::span<const std::uint8_t>();
  return interval(value,
                  drawn.empty() ? bootstrap_replicates(values.size(), mean_of_rows, options)
                                : means_of_counts(values, drawn),
                  skewness, options);
}

std::vector<Estimate> bootstrap_means(std::span<const std::span<const double>> columns,
                                      const BootstrapOptions& options) {
  check(options);
  std::vector<Estimate> estimates(columns.size());
  if (columns.empty()) return estimates;
  const std::size_t count = columns.front().size();
  std::vector<std::vector<double>> replicates(columns.size());
  std::vector<std::size_t> drawn_for;  // columns that have an interval
  for (std::size_t column = 0; column < columns.size(); ++column) {
    assert(columns[column].size() == count);
    estimates[column].value = mean(columns[column]);
    if (count < 2 || std::isnan(estimates[column].value)) continue;
    replicates[column].resize(options.replicates);
    drawn_for.push_back(column);
  }
  if (drawn_for.empty()) return estimates;
  const std::size_t groups = (options.replicates + kReplicatesAtOnce - 1) / kReplicatesAtOnce;
  parallel_for(groups, [&](std::size_t group) {
    const std::size_t first = group * kReplicatesAtOnce;
    const std::size_t size = std::min(kReplicatesAtOnce, options.replicates - first);
    std::vector<std::uint8_t> drawn(size * count);
    for (std::size_t i = 0; i < size; ++i) {
      draw_counts(options, first + i, {drawn.data() + i * count, count});
    }
    // A piece of a column stays in the processor's cache for all replicates of the group.
    std::vector<CountedSum> sums(drawn_for.size() * size);
    for (std::size_t row = 0; row < count; row += kRowsAtOnce) {
      const std::size_t end = std::min(row + kRowsAtOnce, count);
      for (std::size_t c = 0; c < drawn_for.size(); ++c) {
        for (std::size_t i = 0; i < size; ++i) {
          sums[c * size + i].add(columns[drawn_for[c]], drawn.data() + i * count, row, end);
        }
      }
    }
    for (std::size_t c = 0; c < drawn_for.size(); ++c) {
      for (std::size_t i = 0; i < size; ++i) {
        replicates[drawn_for[c]][first + i] = sums[c * size + i].mean(count);
      }
    }
  });
  for (const std::size_t column : drawn_for) {
    const double value = estimates[column].value;
    estimates[column] = interval(
        value, std::move(replicates[column]),
        [&] { return acceleration_of_mean(columns[column], value); }, options);
  }
  return estimates;
}

}  // namespace vestige::metrics
