// The update rules of torch.optim.SGD and torch.optim.Adam (no dampening, no AMSGrad).
#include "vestige/train/optimizer.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>

namespace vestige::train {
namespace {

using Tensors = std::vector<torch::Tensor>;

/// Every tensor [k, ...] times one number, or times its copy's number; `factors` is [1] or [k].
Tensors scaled(const Tensors& tensors, const torch::Tensor& factors) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
  if (factors.size(0) == 1) return at::_foreach_mul(tensors, factors.squeeze(0));
#endif
  Tensors result;
  for (const torch::Tensor& tensor : tensors) {
    std::vector<std::int64_t> sizes(
        static_cast<std::size_t>(std::max<std::int64_t>(tensor.dim(), 1)), 1);
    sizes[0] = -1;
    result.push_back(tensor * factors.view(sizes));
  }
  return result;
}

}  // namespace

Optimizer::Optimizer(std::vector<torch::Tensor> parameters, const OptimizerSettings& settings)
    : parameters_(std::move(parameters)),
      settings_(settings),
      first_(parameters_.size()),
      second_(parameters_.size()) {}

void Optimizer::zero_grad() {
  for (torch::Tensor& parameter : parameters_) {
    if (parameter.grad().defined()) parameter.mutable_grad().reset();
  }
}

std::vector<torch::Tensor> Optimizer::directions(std::vector<torch::Tensor>& moved) {
  std::vector<torch::Tensor> result;
  ++steps_;
  const double count = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(settings_.beta1, count);
  const double correction2 = 1 - std::pow(settings_.beta2, count);
  for (std::size_t index = 0; index < parameters_.size(); ++index) {
    const torch::Tensor& parameter = parameters_[index];
    torch::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    moved.push_back(parameter);
    if (settings_.weight_decay != 0) {
      gradient = gradient.add(parameter.detach(), settings_.weight_decay);
    }
    torch::Tensor& first = first_[index];
    if (settings_.kind == "adam") {
      torch::Tensor& second = second_[index];
      if (!first.defined()) {
        first = torch::zeros_like(gradient);
        second = torch::zeros_like(gradient);
      }
      first.mul_(settings_.beta1).add_(gradient, 1 - settings_.beta1);
      second.mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
      const torch::Tensor denominator =
          second.sqrt().div_(std::sqrt(correction2)).add_(settings_.epsilon);
      result.push_back(first.div(denominator).div_(correction1));
    } else if (settings_.momentum != 0) {
      if (!first.defined()) {
        first = gradient.clone();
      } else {
        first.mul_(settings_.momentum).add_(gradient);
      }
      result.push_back(settings_.nesterov ? gradient.add(first, settings_.momentum) : first);
    } else {
      result.push_back(gradient);
    }
  }
  return result;
}

void Optimizer::step(double rate) {
  const torch::NoGradGuard no_gradient;
  std::vector<torch::Tensor> moved;
  const std::vector<torch::Tensor> by = directions(moved);
  for (std::size_t index = 0; index < moved.size(); ++index) moved[index].add_(by[index], -rate);
}

void Optimizer::step(const std::vector<double>& rates) {
  if (std::adjacent_find(rates.begin(), rates.end(), std::not_equal_to<>()) == rates.end()) {
    step(rates.at(0));
    return;
  }
  const torch::NoGradGuard no_gradient;
  std::vector<torch::Tensor> moved;
  const std::vector<torch::Tensor> by = directions(moved);
  if (moved.empty()) return;
  const torch::Tensor all = torch::tensor(rates, torch::kFloat32).to(moved[0].device());
  for (std::size_t index = 0; index < moved.size(); ++index) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(moved[index].dim()), 1);
    sizes[0] = -1;
    moved[index].sub_(by[index] * all.view(sizes));
  }
}

void Optimizer::plan(const std::vector<std::vector<double>>& rates) {
  const std::size_t columns = rates.at(0).size();
  std::vector<float> values;
  for (std::size_t step = 0; step < rates.size(); ++step) {
    const auto count = static_cast<double>(steps_) + static_cast<double>(step) + 1;
    const bool adam = settings_.kind == "adam";
    values.push_back(adam ? static_cast<float>(1 / std::sqrt(1 - std::pow(settings_.beta2, count)))
                          : 1.0F);
    const double correction = adam ? 1 - std::pow(settings_.beta1, count) : 1;
    for (const double rate : rates[step]) values.push_back(static_cast<float>(rate / correction));
  }
  const auto width = static_cast<std::int64_t>(columns + 1);
  const torch::Device device = parameters_.at(0).device();
  planned_ = torch::tensor(values).view({-1, width}).to(device);
  // A recorded step reads `now_` where it lay when it was recorded.
  if (!now_.defined()) now_ = torch::empty({width}, planned_.options());
  place_ = 0;
}

void Optimizer::next() {
  const torch::NoGradGuard no_gradient;
  now_.copy_(planned_[place_++]);
  ++steps_;
}

void Optimizer::planned_step() {
  const torch::NoGradGuard no_gradient;
  Tensors moved, gradients, first, second;
  for (std::size_t index = 0; index < parameters_.size(); ++index) {
    if (!parameters_[index].grad().defined()) continue;
    make_moments(index);
    moved.push_back(parameters_[index].detach());
    gradients.push_back(parameters_[index].grad());
    first.push_back(first_[index]);
    second.push_back(second_[index]);
  }
  if (moved.empty()) return;
  if (settings_.weight_decay != 0) {
    gradients = at::_foreach_add(gradients, moved, settings_.weight_decay);
  }
  const torch::Tensor rates = now_.narrow(0, 1, now_.size(0) - 1);
  if (settings_.kind == "adam") {
    at::_foreach_mul_(first, settings_.beta1);
    at::_foreach_add_(first, gradients, 1 - settings_.beta1);
    at::_foreach_mul_(second, settings_.beta2);
    at::_foreach_addcmul_(second, gradients, gradients, 1 - settings_.beta2);
    Tensors denominators = scaled(at::_foreach_sqrt(second), now_.narrow(0, 0, 1));
    at::_foreach_add_(denominators, settings_.epsilon);
    gradients = at::_foreach_div(first, denominators);
  } else if (settings_.momentum != 0) {
    at::_foreach_mul_(first, settings_.momentum);
    at::_foreach_add_(first, gradients);
    gradients = settings_.nesterov ? at::_foreach_add(gradients, first, settings_.momentum) : first;
  }
  at::_foreach_sub_(moved, scaled(gradients, rates));
}

void Optimizer::make_moments(std::size_t index) {
  if (first_[index].defined()) return;
  first_[index] = torch::zeros_like(parameters_[index]);
  second_[index] = settings_.kind == "adam" ? torch::zeros_like(parameters_[index]) : first_[index];
}

}  // namespace vestige::train
