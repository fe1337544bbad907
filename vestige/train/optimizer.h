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

  /// For a step that is recorded once and replayed: the rates of the coming steps (each one for all
  /// copies, or one per copy) go to the device at once, `next` takes those of the next step, and
  /// `planned_step` reads them there. The same rules as `step`, up to rounding.
  void plan(const std::vector<std::vector<double>>& rates);
  void next();
  void planned_step();

 private:
  void make_moments(std::size_t index);

  /// Turns gradients into directions: p -= rate * direction.
  std::vector<torch::Tensor> directions(std::vector<torch::Tensor>& moved);

  std::vector<torch::Tensor> parameters_;
  OptimizerSettings settings_;
  std::vector<torch::Tensor> first_, second_;  ///< momentum; Adam's two moments
  std::int64_t steps_ = 0;
  /// Of a plan: 1 / sqrt(1 - beta2^t) and the rates over 1 - beta1^t, a row per step, on the
  /// device.
  torch::Tensor planned_, now_;
  std::int64_t place_ = 0;  ///< the row of planned_ that `next` takes
};

}  // namespace vestige::train
