// The moving average.
#include "vestige/train/weight_average.h"

#include <algorithm>
#include <cmath>

namespace vestige::train {

WeightAverage::WeightAverage(const models::Network& network, double halflife, double rampup)
    : weights_(network.parameters()), halflife_(halflife), rampup_(rampup) {
  for (const torch::Tensor& weight : weights_) average_.push_back(weight.detach().clone());
}

void WeightAverage::update(std::int64_t rows) {
  const torch::NoGradGuard no_gradient;
  const double halflife = rampup_ > 0 ? std::min(halflife_, rampup_ * seen_) : halflife_;
  const double keep = std::pow(0.5, static_cast<double>(rows) / std::max(halflife, 1e-8));
  for (std::size_t index = 0; index < weights_.size(); ++index) {
    average_[index].mul_(keep).add_(weights_[index], 1 - keep);
  }
  seen_ += static_cast<double>(rows);
}

void WeightAverage::apply() {
  const torch::NoGradGuard no_gradient;
  for (std::size_t index = 0; index < weights_.size(); ++index) {
    weights_[index].copy_(average_[index]);
  }
}

}  // namespace vestige::train
