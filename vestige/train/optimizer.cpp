// The update rules of torch.optim.SGD and torch.optim.Adam (no dampening, no AMSGrad).
#include "vestige/train/optimizer.h"

#include <algorithm>
#include <cmath>

namespace vestige::train {

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

}  // namespace vestige::train
