// IAM as it is defined, level by level over every shadow: the oracle of the moments form, for tests
// and benchmarks.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/scores/iam.h"

namespace vestige::metrics {

inline std::vector<double> plain_iam(std::span<const double> target, MatrixView shadows,
                                     std::span<const double> in, const IamOptions& options = {}) {
  const auto count = static_cast<double>(shadows.rows);
  std::vector<double> scores(target.size(), 0);
  double weights = 0;
  for (std::size_t k = 0; k + 1 < options.levels; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(options.levels - 1);
    Matrix level(shadows.rows, shadows.cols);
    double sum = 0;
    for (std::size_t j = 0; j < shadows.rows; ++j) {
      for (std::size_t i = 0; i < shadows.cols; ++i) {
        level(j, i) = (1 - t) * shadows(j, i) + t * in[i];
        sum += level(j, i);
      }
    }
    const double all = count * static_cast<double>(shadows.cols);
    double squares = 0;
    for (const double value : level.values()) squares += std::pow(value - sum / all, 2);
    const double global = std::sqrt(squares / all);
    const auto weight = static_cast<double>(k + 1);
    weights += weight;
    for (std::size_t i = 0; i < target.size(); ++i) {
      double mean = 0;
      for (std::size_t j = 0; j < shadows.rows; ++j) mean += level(j, i) / count;
      double within = 0;
      for (std::size_t j = 0; j < shadows.rows; ++j) within += std::pow(level(j, i) - mean, 2);
      const double deviation =
          options.variance == IamVariance::global ? global : std::sqrt(within / count);
      if (options.distribution == LevelDistribution::gumbel) {
        const double beta = std::sqrt(6.0) * deviation / std::numbers::pi;
        const double alpha = mean - 0.5772 * beta;
        scores[i] += weight * std::exp(-std::exp(-(target[i] - alpha) / beta));
      } else {
        scores[i] +=
            weight * 0.5 * std::erfc(-(target[i] - mean) / deviation / std::numbers::sqrt2);
      }
    }
  }
  for (double& score : scores) score /= weights;
  return scores;
}

}  // namespace vestige::metrics
