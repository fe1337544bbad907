// The relative test as its definition reads: every permutation builds its samples and witnesses
// anew.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/metrics/kernel_test/relative_test.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

/// Divergences of `sample` from `model`.
inline std::array<double, 3> plain_divergences(MatrixView model, MatrixView sample, double sigma,
                                               double lambda) {
  const std::vector<double> ratio = witness_ratio(model, sample, sigma, lambda);
  const std::span<const double> all(ratio);
  return witness_divergences(all.first(model.rows), all.subspan(model.rows));
}

/// p that the model is nearer to `second`, by divergence.
inline std::array<double, 3> plain_nearer_second(const Matrix& model, const Matrix& first,
                                                 const Matrix& second,
                                                 const RelativeTestOptions& options) {
  std::vector<double> distances;
  const Matrix* samples[] = {&model, &first, &second};
  const std::size_t n = model.rows();
  const auto row = [&](std::size_t i) { return samples[i / n]->row(i % n); };
  for (std::size_t i = 0; i < 3 * n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double squares = 0;
      for (std::size_t k = 0; k < model.cols(); ++k) squares += std::pow(row(i)[k] - row(j)[k], 2);
      distances.push_back(std::sqrt(squares));
    }
  }
  const double low = quantile(distances, 0.05) / 2, high = 2 * quantile(distances, 0.95);
  // [divergence][setting][1 + permutation]
  std::array<std::vector<std::vector<double>>, 3> statistics;
  for (std::size_t b = 0; b < options.bandwidths; ++b) {
    const double sigma =
        low + (high - low) * static_cast<double>(b) / static_cast<double>(options.bandwidths - 1);
    for (const double lambda : options.lambdas) {
      for (auto& each : statistics) each.emplace_back();
      for (std::size_t permutation = 0; permutation <= options.permutations; ++permutation) {
        Matrix left = first, right = second;
        Stream stream(options.seed, "kernel_test.exchange", permutation);
        for (std::size_t i = 0; i < n && permutation > 0; ++i) {
          if (stream.below(2) == 0) continue;
          std::swap_ranges(left.row(i).begin(), left.row(i).end(), right.row(i).begin());
        }
        const auto to_first = plain_divergences(model, left, sigma, lambda);
        const auto to_second = plain_divergences(model, right, sigma, lambda);
        for (std::size_t k = 0; k < 3; ++k) {
          statistics[k].back().push_back(to_first[k] - to_second[k]);
        }
      }
    }
  }
  std::array<double, 3> result{};
  const auto share_above = [](const std::vector<double>& values, double value) {
    const auto count =
        std::count_if(values.begin(), values.end(), [value](double each) { return each >= value; });
    return static_cast<double>(count) / static_cast<double>(values.size());
  };
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> least(options.permutations + 1, 2.0);
    for (const auto& setting : statistics[k]) {
      for (std::size_t b = 0; b < least.size(); ++b) {
        least[b] = std::min(least[b], share_above(setting, setting[b]));
      }
    }
    const auto count = std::count_if(least.begin(), least.end(),
                                     [&](double each) { return each <= least.front(); });
    result[k] = static_cast<double>(count) / static_cast<double>(least.size());
  }
  return result;
}

}  // namespace vestige::metrics
