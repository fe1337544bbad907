// Chen et al. 2023 ("Boundary unlearning"), section 4.1.
#include "vestige/unlearn/methods/boundary_shrink.h"

#include <limits>
#include <memory>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {

torch::Tensor nearest_labels(models::Network& network, const torch::Tensor& inputs,
                             const torch::Tensor& labels, double bound) {
  const torch::Tensor free = inputs.detach().clone().set_requires_grad(true);
  const torch::Tensor loss = row_losses(network.forward(free), labels).mean();
  const torch::Tensor gradient = torch::autograd::grad({loss}, {free})[0];
  const torch::NoGradGuard no_gradient;
  const torch::Tensor logits = network.forward(inputs + bound * gradient.sign())[0];
  return logits.scatter(1, labels[0].unsqueeze(1), -std::numeric_limits<double>::infinity())
      .argmax(1);
}

Method boundary_shrink() {
  return {.id = "boundary_shrink",
          .summary = "gives rows of a forgotten class to the classes next to them",
          .source = "Chen et al. 2023 (Boundary unlearning); IAM, C.4",
          .needs = {.class_forgetting = true},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            train::Phase phase =
                read_phase(options, {.epochs = 10, .rate = 1e-5, .weight_decay = 0});
            const double bound = number_from(options, "bound", 0.1, 0);
            return [phase, bound](Problem& problem) mutable {
              const models::NetworkPointer original = copy_of(problem, problem.network);
              auto attacked = std::make_shared<std::int64_t>(0);
              phase.objective = [original, attacked, bound](models::Network& network,
                                                            const train::Batch& batch,
                                                            const train::Step&) {
                const torch::Tensor nearest =
                    nearest_labels(*original, batch.inputs, batch.labels, bound);
                *attacked += nearest.numel();
                const torch::Tensor logits = network.forward(batch.inputs);
                return train::Losses{row_losses(logits, nearest.unsqueeze(0)).mean(1), logits};
              };
              Outcome outcome{run_phase(problem.network, problem.samples, problem.forget,
                                        problem.seed, phase, problem.watch)};
              outcome.cost.samples += *attacked;
              return outcome;
            };
          }};
}

}  // namespace vestige::unlearn
