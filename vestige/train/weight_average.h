// An exponential moving average of a network's weights, which diffusion models are sampled with.
#pragma once

#include <vector>

#include "vestige/models/network.h"

namespace vestige::train {

/// As in the published code of Karras et al. 2022: after a step of b rows
/// average = beta average + (1 - beta) weights, beta = 0.5^(b / h), where h is the half-life in
/// rows, but at most `rampup` of the rows seen before the step (0: no such limit).
class WeightAverage {
 public:
  WeightAverage(const models::Network& network, double halflife, double rampup);

  /// After a step of `rows` rows.
  void update(std::int64_t rows);

  /// Puts the average in the place of the network's weights.
  void apply();

 private:
  std::vector<torch::Tensor> weights_;
  std::vector<torch::Tensor> average_;
  double halflife_;
  double rampup_;
  double seen_ = 0;
};

}  // namespace vestige::train
