// The competition's simple membership attack: logistic regression on one loss per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"
#include "vestige/metrics/learn/splits.h"

namespace vestige::metrics {

struct SimpleMiaOptions {
  std::size_t splits = 10;     ///< stratified shuffle splits
  double test_fraction = 0.1;  ///< share of rows held out in each
  double c = 1;                ///< inverse strength of the L2 penalty
};

struct SimpleMia {
  double accuracy = kUndefined;                    ///< mean of `scores`; 0.5 is chance
  std::vector<double> scores;                      ///< held-out accuracy per split
  std::vector<std::vector<double>> probabilities;  ///< of being a member, per split and test row
};

/// The attack on given splits. `members` is 1 for rows that the model may have seen.
SimpleMia simple_mia(std::span<const double> losses, std::span<const int> members,
                     std::span<const LabelSplit> splits, double c = 1);

/// The attack as published: the larger side is subsampled to the size of the smaller one, then
/// split. The draws depend on the seed and the two sizes only, so models with the same rows share
/// them. Infinite losses are cut at `kLargestLoss`. NaN accuracy if a loss is NaN.
SimpleMia simple_mia(std::span<const double> member_losses,
                     std::span<const double> nonmember_losses, std::uint64_t seed,
                     const SimpleMiaOptions& options = {});

/// -ln of the smallest normal double: what a probability of 0 costs.
inline constexpr double kLargestLoss = 708.3964185322641;

}  // namespace vestige::metrics
