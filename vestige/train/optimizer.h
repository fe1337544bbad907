// SGD and Adam with PyTorch's update rules on parameters of k copies, each copy with its own rate.
#pragma once

#include <vector>

#include "vestige/models/torch.h"
#include "vestige/train/settings.h"

namespace vestige::train {

class Optimizer {
 public:
  /// Parameters [k, ...]; those without a gradient at a step are left alone.
  Optimizer(std::vector<torch::Tensor> parameters, const OptimizerSettings& settings);

  void zero_grad();
  /// One step with the same rate for all copies.
  void step(double rate);
  /// One step with one rate per copy.
  void step(const std::vector<double>& rates);

  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

 private:
  /// Turns gradients into directions: p -= rate * direction.
  std::vector<torch::Tensor> directions(std::vector<torch::Tensor>& moved);

  std::vector<torch::Tensor> parameters_;
  OptimizerSettings settings_;
  std::vector<torch::Tensor> first_, second_;  ///< momentum; Adam's two moments
  std::int64_t steps_ = 0;
};

}  // namespace vestige::train
