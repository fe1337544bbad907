// IAM by moments.
#include "vestige/metrics/scores/iam.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRowsPerTask = 1024;

// A spread below this share of the largest response is the rounding of equal numbers.
constexpr double kRounding = 1e-13;

double level_share(std::size_t level, std::size_t levels) {
  return static_cast<double>(level) / static_cast<double>(levels - 1);
}

double weight_sum(std::size_t levels) {
  const auto n = static_cast<double>(levels - 1);
  return n * (n + 1) / 2;
}

void check(std::span<const double> target, const ShadowMoments& shadows, std::span<const double> in,
           const IamOptions& options) {
  require(options.levels >= 2, "IAM with {} levels: at least 2 are needed (100 is usual)",
          options.levels);
  require(target.size() == shadows.mean.size() && in.size() == target.size(),
          "IAM: {} target, {} shadow and {} IN responses: give one of each per example",
          target.size(), shadows.mean.size(), in.size());
}

double centred_product(std::span<const double> a, double mean_a, std::span<const double> b,
                       double mean_b) {
  double sum = 0;
  for (std::size_t row = 0; row < a.size(); ++row) sum += (a[row] - mean_a) * (b[row] - mean_b);
  return sum / static_cast<double>(a.size());
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

void add_normal_levels(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                       std::span<double> sums) {
  for (const GumbelLevel& level : levels) {
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const double center =
          level.shadow_share * rows.shadow_mean[row] + level.in_share * rows.in[row];
      sums[row] += level.weight * normal_cdf((rows.target[row] - center) *
                                             (rows.inverse_scale[row] * level.inverse_scale));
    }
  }
}

/// 1 / scale of the distribution with this standard deviation; NaN for 0 unless it has a stand-in.
double inverse_scale(double deviation, double largest, const IamOptions& options) {
  if (deviation <= kRounding * std::max(1.0, largest)) deviation = options.zero_deviation;
  return options.distribution == LevelDistribution::gumbel
             ? std::numbers::pi / (std::sqrt(6.0) * deviation)
             : 1 / deviation;
}

}  // namespace

std::vector<double> iam_responses(std::span<const double> probabilities,
                                  const ResponseOptions& options) {
  const double epsilon1 = options.bounded ? options.epsilon1 : 0;
  const double epsilon2 = options.bounded ? options.epsilon2 : 0;
  require(options.bounded || !options.unit_range,
          "IAM: the unbounded map has no range to map to [0, 1]; leave out one of both");
  require(!options.bounded || (epsilon1 > 0 && epsilon2 > 0 && std::exp(epsilon1) > 1 + epsilon2),
          "IAM: epsilon1 = {} and epsilon2 = {} must be positive with exp(epsilon1) > 1 + "
          "epsilon2; 0.01 and 0.00001 are usual",
          epsilon1, epsilon2);
  const auto response = [=](double p) { return -std::log(epsilon1 - std::log(p + epsilon2)); };
  const double low = options.unit_range ? response(0) : 0;
  const double range = options.unit_range ? response(1) - low : 1;
  std::vector<double> result(probabilities.size());
  parallel_ranges(result.size(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      result[row] = (response(probabilities[row]) - low) / range;
    }
  });
  return result;
}

ShadowMoments shadow_moments(MatrixView responses) {
  require(responses.rows > 0 && responses.cols > 0,
          "IAM: responses of {} shadow models on {} examples: at least one of each is needed",
          responses.rows, responses.cols);
  ShadowMoments result;
  result.shadows = responses.rows;
  result.mean.assign(responses.cols, 0);
  result.deviation.assign(responses.cols, 0);
  std::vector<double> largest(responses.cols, 0);
  const auto count = static_cast<double>(responses.rows);
  parallel_ranges(responses.cols, kRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t shadow = 0; shadow < responses.rows; ++shadow) {
      const double* values = responses.row(shadow).data();
      for (std::size_t row = first; row < last; ++row) {
        result.mean[row] += values[row];
        largest[row] = std::max(largest[row], std::abs(values[row]));
      }
    }
    for (std::size_t row = first; row < last; ++row) result.mean[row] /= count;
    for (std::size_t shadow = 0; shadow < responses.rows; ++shadow) {
      const double* values = responses.row(shadow).data();
      for (std::size_t row = first; row < last; ++row) {
        const double difference = values[row] - result.mean[row];
        result.deviation[row] += difference * difference;
      }
    }
    for (std::size_t row = first; row < last; ++row) {
      result.deviation[row] = std::sqrt(result.deviation[row] / count);
    }
  });
  double squares = 0;
  for (const double deviation : result.deviation) squares += deviation * deviation;
  result.within = squares / static_cast<double>(responses.cols);
  result.largest = *std::max_element(largest.begin(), largest.end());
  return result;
}

std::vector<double> level_deviations(const ShadowMoments& shadows, std::span<const double> in,
                                     std::size_t levels) {
  // Variance over models x rows = mean of the variances within rows + variance of the row means,
  // and a row's mean at a level is (1 - t) mean + t IN.
  const double shadow_mean = mean(shadows.mean);
  const double in_mean = mean(in);
  const double shadow_variance =
      centred_product(shadows.mean, shadow_mean, shadows.mean, shadow_mean);
  const double covariance = centred_product(shadows.mean, shadow_mean, in, in_mean);
  const double in_variance = centred_product(in, in_mean, in, in_mean);
  std::vector<double> result(levels - 1);
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    const double t = level_share(level, levels);
    const double variance = (1 - t) * (1 - t) * (shadows.within + shadow_variance) +
                            2 * t * (1 - t) * covariance + t * t * in_variance;
    result[level] = std::sqrt(std::max(variance, 0.0));
  }
  return result;
}

std::vector<double> iam_scores(std::span<const double> target, const ShadowMoments& shadows,
                               std::span<const double> in, const IamOptions& options) {
  check(target, shadows, in, options);
  if (target.empty()) return {};
  double largest = shadows.largest;
  for (const double value : in) largest = std::max(largest, std::abs(value));

  std::vector<double> row_scale(target.size(), 1);
  std::vector<GumbelLevel> levels(options.levels - 1);
  const bool global = options.variance == IamVariance::global;
  const std::vector<double> deviations =
      global ? level_deviations(shadows, in, options.levels) : std::vector<double>();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const double t = level_share(level, options.levels);
    levels[level] = {1 - t, t,
                     global ? inverse_scale(deviations[level], largest, options) : 1 / (1 - t),
                     static_cast<double>(level + 1)};
  }
  if (!global) {
    for (std::size_t row = 0; row < row_scale.size(); ++row) {
      row_scale[row] = inverse_scale(shadows.deviation[row], largest, options);
    }
  }
  std::vector<double> scores(target.size(), 0);
  const double total = weight_sum(options.levels);
  parallel_ranges(scores.size(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
    const std::size_t count = last - first;
    const GumbelRows rows{
        target.subspan(first, count), std::span<const double>(shadows.mean).subspan(first, count),
        in.subspan(first, count), std::span<const double>(row_scale).subspan(first, count)};
    const std::span<double> sums = std::span<double>(scores).subspan(first, count);
    if (options.distribution == LevelDistribution::gumbel) {
      add_gumbel_levels(rows, levels, sums);
    } else {
      add_normal_levels(rows, levels, sums);
    }
    for (double& sum : sums) sum /= total;
  });
  return scores;
}

double offline_in(std::span<const std::vector<double>> responses_on_training_rows) {
  std::vector<double> means;
  for (const std::vector<double>& responses : responses_on_training_rows) {
    means.push_back(mean(responses));
  }
  return mean(means);
}

}  // namespace vestige::metrics
