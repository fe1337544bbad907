// Selective synaptic dampening.
#include "vestige/unlearn/methods/ssd.h"

#include <chrono>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

Outcome run_ssd(Problem& problem, double alpha, double lambda, std::int64_t batch) {
  const auto start = std::chrono::steady_clock::now();
  train::Rows all = problem.retain;
  all.insert(all.end(), problem.forget.begin(), problem.forget.end());
  const Gradients of_all =
      mean_squared_gradient(problem.network, problem.samples, all, batch, problem.seed);
  const Gradients of_forget =
      mean_squared_gradient(problem.network, problem.samples, problem.forget, batch, problem.seed);

  const torch::NoGradGuard no_gradient;
  std::int64_t dampened = 0;
  std::vector<torch::Tensor> parameters = problem.network.parameters();
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const torch::Tensor after =
        ssd_dampen(parameters[index], of_all.values[index], of_forget.values[index], alpha, lambda);
    dampened += after.ne(parameters[index]).sum().item<std::int64_t>();
    parameters[index].copy_(after);
  }
  Outcome outcome;
  outcome.cost.samples = of_all.samples + of_forget.samples;
  outcome.cost.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.facts["dampened"] = dampened;
  return outcome;
}

}  // namespace

torch::Tensor ssd_dampen(const torch::Tensor& weights, const torch::Tensor& importance_all,
                         const torch::Tensor& importance_forget, double alpha, double lambda) {
  const torch::Tensor factor = (lambda * importance_all / importance_forget).clamp_max(1);
  return torch::where(importance_forget > alpha * importance_all, weights * factor, weights);
}

Method ssd() {
  return {.id = "ssd",
          .summary = "shrinks weights that matter to forget far more than to all training examples",
          .source = "Foster et al. 2024; MIAU, Table 8; conformal; IAM, C.4",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const double alpha = number_from(options, "alpha", 10, 0);
            const double lambda = number_from(options, "lambda", 1, 0);
            const std::int64_t batch = integer_from(options, "batch", 128, 1);
            return [=](Problem& problem) { return run_ssd(problem, alpha, lambda, batch); };
          }};
}

}  // namespace vestige::unlearn
