// Gumbel distribution functions of many rows at many levels: the inner loop of IAM, written so that
// compilers turn it into vector instructions, with the same bytes whatever instructions they
// choose.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/base/exponentials.h"

namespace vestige::metrics {

/// One level: a row's mean there is shadow_share * shadow_mean + in_share * in.
struct GumbelLevel {
  double shadow_share = 1;
  double in_share = 0;
  double inverse_scale = 1;  ///< times inverse_scale of the row gives 1 / beta
  double weight = 1;
};

/// What is known of each row; all of one length.
struct GumbelRows {
  std::span<const double> target;
  std::span<const double> shadow_mean;
  std::span<const double> in;
  std::span<const double> inverse_scale;
};

/// sums[i] += sum over levels of weight * exp(-exp(-z)), z = (target - mean) / beta + gamma: the
/// distribution function of a Gumbel variable with this mean and scale beta, in the order of the
/// levels. NaN in a row stays in that row.
void add_gumbel_levels(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                       std::span<double> sums, Instructions instructions = Instructions::best);

/// Euler's constant as the authors' code has it.
inline constexpr double kIamEulerGamma = 0.5772;

}  // namespace vestige::metrics
