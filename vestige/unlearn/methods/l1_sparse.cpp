// Fine-tuning with a penalty.
#include "vestige/unlearn/methods/l1_sparse.h"

#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {

double penalty_weight(double alpha, const train::Step& step) {
  return alpha * (1 - static_cast<double>(step.step) / static_cast<double>(step.total_steps));
}

torch::Tensor l1_norm(const models::Network& network) {
  std::vector<torch::Tensor> sums;
  for (const torch::Tensor& parameter : network.parameters()) {
    sums.push_back(parameter.abs().sum());
  }
  return torch::stack(sums).sum();
}

Method l1_sparse() {
  return {.id = "l1_sparse",
          .summary = "cross-entropy on the retain examples plus a fading L1 penalty",
          .source = "competition, A.7.2; SDE, 4.3 (Jia et al. 2023)",
          .needs = {},
          .presets = {{"casia_surf", {{"alpha", 1e-4}, {"rate", 0.001}}},
                      {"femnist", {{"alpha", 1e-3}, {"rate", 0.001}}},
                      // As in random_label_sde: what published code gives for CIFAR-10.
                      {"sde", {{"alpha", 1e-4}, {"rate", 0.01}, {"epochs", 10}, {"batch", 256}}}},
          .prepare = [](Options& options) -> Run {
            const double alpha = options.number("alpha", 1e-4);
            if (!(alpha >= 0)) options.wrong("alpha", "it must not be negative");
            train::Phase phase = read_phase(options, {.epochs = 1, .rate = 0.001});
            phase.objective = [alpha, inner = train::cross_entropy()](models::Network& network,
                                                                      const train::Batch& batch,
                                                                      const train::Step& step) {
              train::Losses losses = inner(network, batch, step);
              losses.each = losses.each + penalty_weight(alpha, step) * l1_norm(network);
              return losses;
            };
            return [phase](Problem& problem) {
              return Outcome{train::run_phase(problem.network, problem.samples, problem.retain,
                                              problem.seed, phase, problem.watch)};
            };
          }};
}

}  // namespace vestige::unlearn
