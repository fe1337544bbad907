// SMI as its definition reads: every bootstrap draw is a list of rows, and every pair of it costs
// a kernel value.
#pragma once

#include <cmath>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/metrics/smi/smi.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

using DrawnRows = std::vector<std::size_t>;

inline double plain_kernel(MatrixView a, std::size_t i, MatrixView b, std::size_t j, double sigma) {
  double squares = 0;
  for (std::size_t k = 0; k < a.cols; ++k) squares += (a(i, k) - b(j, k)) * (a(i, k) - b(j, k));
  return std::exp(-squares / (2 * sigma * sigma));
}

/// Mean kernel value of pairs of drawn rows; within one sample no pair of a row with itself or with
/// its own copy.
inline double plain_mean_kernel(MatrixView a, const DrawnRows& left, MatrixView b,
                                const DrawnRows& right, double sigma, bool same) {
  double sum = 0;
  std::size_t pairs = 0;
  for (const std::size_t i : left) {
    for (const std::size_t j : right) {
      if (same && i == j) continue;
      sum += plain_kernel(a, i, b, j, sigma);
      ++pairs;
    }
  }
  return sum / static_cast<double>(pairs);
}

/// Samples are forget, members, nonmembers, each with its drawn rows.
inline double plain_share(const std::vector<MatrixView>& samples,
                          const std::vector<DrawnRows>& drawn, double sigma) {
  const auto mean_kernel = [&](std::size_t a, std::size_t b) {
    return plain_mean_kernel(samples[a], drawn[a], samples[b], drawn[b], sigma, a == b);
  };
  const double members = mean_kernel(1, 1), across = mean_kernel(1, 2);
  const double distance = members + mean_kernel(2, 2) - 2 * across;
  return (mean_kernel(0, 2) - mean_kernel(0, 1) - across + members) / distance;
}

inline Estimate plain_smi(MatrixView forget, MatrixView members, MatrixView nonmembers,
                          double sigma, const SmiOptions& options) {
  const std::vector<MatrixView> samples = {forget, members, nonmembers};
  std::vector<DrawnRows> all(3);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < samples[k].rows; ++i) all[k].push_back(i);
  }
  Estimate result;
  result.value = plain_share(samples, all, sigma);
  std::vector<double> shares;
  for (std::size_t replicate = 0; replicate < options.replicates; ++replicate) {
    Stream stream(options.seed, "smi.bootstrap", replicate);
    std::vector<DrawnRows> drawn(3);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < samples[k].rows; ++i) {
        drawn[k].push_back(stream.below(samples[k].rows));
      }
    }
    shares.push_back(plain_share(samples, drawn, sigma));
  }
  result.lower = quantile(shares, 0.025);
  result.upper = quantile(shares, 0.975);
  return result;
}

}  // namespace vestige::metrics
