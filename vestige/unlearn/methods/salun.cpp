// The mask, and random labels behind it.
#include "vestige/unlearn/methods/salun.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/random_label_phases.h"

namespace vestige::unlearn {

std::vector<torch::Tensor> saliency_mask(const std::vector<torch::Tensor>& gradients,
                                         double fraction) {
  require(fraction >= 0 && fraction <= 1,
          "saliency_mask: the fraction is {}: it must be between 0 and 1", fraction);
  require(!gradients.empty(), "saliency_mask: there are no gradients to rank");
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& gradient : gradients) flat.push_back(gradient.reshape({-1}).abs());
  const torch::Tensor all = torch::cat(flat);
  const auto count =
      static_cast<std::int64_t>(std::floor(static_cast<double>(all.numel()) * fraction));
  const torch::Tensor order = std::get<1>(torch::sort(all, /*stable=*/true, 0, true));
  const torch::Tensor chosen = torch::zeros_like(all, torch::kBool);
  chosen.index_fill_(0, order.narrow(0, 0, count), true);
  std::vector<torch::Tensor> masks;
  std::int64_t start = 0;
  for (const torch::Tensor& gradient : gradients) {
    masks.push_back(chosen.narrow(0, start, gradient.numel()).reshape(gradient.sizes()));
    start += gradient.numel();
  }
  return masks;
}

std::vector<torch::Tensor> ascent_gradients(models::Network& network, const train::Samples& samples,
                                            const train::Rows& rows, std::int64_t batch) {
  const std::vector<torch::Tensor> parameters = network.parameters();
  std::vector<torch::Tensor> sums;
  for (const torch::Tensor& parameter : parameters) sums.push_back(torch::zeros_like(parameter));
  network.eval();
  const train::Objective loss = train::cross_entropy();
  const auto size = static_cast<std::size_t>(batch);
  for (std::size_t first = 0; first < rows.size(); first += size) {
    check_interrupt();
    const std::size_t count = std::min(size, rows.size() - first);
    const train::Batch part = samples.batch(std::span(rows).subspan(first, count));
    const torch::Tensor total = -static_cast<double>(count) * loss(network, part, {}).each.sum();
    const std::vector<torch::Tensor> gradients =
        torch::autograd::grad({total}, parameters, {}, {}, false, /*allow_unused=*/true);
    for (std::size_t index = 0; index < sums.size(); ++index) {
      if (gradients[index].defined()) sums[index] += gradients[index];
    }
  }
  return sums;
}

void restrict_phase(train::Phase& phase, const models::Network& network,
                    const std::vector<torch::Tensor>& masks) {
  const std::vector<torch::Tensor> parameters = network.parameters();
  std::vector<torch::Tensor> before;
  for (const torch::Tensor& parameter : parameters) before.push_back(parameter.detach().clone());
  phase.after_backward = [parameters, masks](const train::Step&) {
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      torch::Tensor gradient = parameters[index].grad();
      if (gradient.defined()) gradient.mul_(masks[index]);
    }
  };
  phase.after_step = [parameters, masks, before](const train::Step&) {
    const torch::NoGradGuard no_gradient;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      torch::Tensor parameter = parameters[index];
      parameter.copy_(torch::where(masks[index], parameter, before[index]));
    }
  };
}

Method salun() {
  Json surf = {{"fraction", 0.5}, {"epochs", 2}, {"rate", 5e-4}, {"repair_epochs", 1}};
  Json femnist = random_label_femnist();
  femnist["fraction"] = 0.4;
  Json conformal = random_label_conformal();
  conformal["fraction"] = 0.5;
  Json conformal_vit = random_label_conformal_vit();
  conformal_vit["fraction"] = 0.5;
  Json sde = random_label_sde();
  sde["fraction"] = 0.5;
  return {
      .id = "salun",
      .summary = "random labels on the weights with the largest forget gradients only",
      .source = "competition, A.7; conformal, App. B (Fan et al. 2024)",
      .needs = {},
      .presets = {{"casia_surf", surf},
                  {"femnist", femnist},
                  {"conformal", conformal},
                  {"conformal_vit", conformal_vit},
                  {"sde", sde}},
      .prepare = [](Options& options) -> Run {
        const double fraction = options.number("fraction", 0.5);
        if (!(fraction >= 0 && fraction <= 1)) {
          options.wrong("fraction", "it must be between 0 and 1");
        }
        const RandomLabelPlan plan = read_random_label(options);
        return [fraction, plan](Problem& problem) {
          const std::vector<torch::Tensor> masks = saliency_mask(
              ascent_gradients(problem.network, problem.samples, problem.forget, plan.erase.batch),
              fraction);
          Outcome outcome{run_random_label(problem, plan, [&](train::Phase& phase) {
            restrict_phase(phase, problem.network, masks);
          })};
          outcome.cost.samples += static_cast<std::int64_t>(problem.forget.size());
          return outcome;
        };
      }};
}

}  // namespace vestige::unlearn
