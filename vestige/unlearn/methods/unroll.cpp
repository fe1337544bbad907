// theta + (rate * epochs / batch) * gradient of forget's cross-entropy at the initial weights.
#include <chrono>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct UnrollSettings {
  double rate = 0;    ///< 0: the original's
  double epochs = 0;  ///< 0: the original's
  bool sum = false;   ///< the gradient of all forget rows together instead of their mean
};

Outcome run_unroll(Problem& problem, const UnrollSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const train::TrainSettings& training = problem.training;
  const double rate = settings.rate > 0 ? settings.rate : training.optimizer.rate;
  const double epochs = settings.epochs > 0 ? settings.epochs : training.epochs;
  const models::NetworkPointer initial = fresh_network(problem, problem.original_seed);
  const Gradients gradient =
      mean_gradient(*initial, problem.samples, problem.forget, training.batch, true);
  const double factor = rate * epochs / static_cast<double>(training.batch) *
                        (settings.sum ? static_cast<double>(problem.forget.size()) : 1);

  const torch::NoGradGuard no_gradient;
  std::vector<torch::Tensor> parameters = problem.network.parameters();
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    parameters[index].add_(gradient.values[index], factor);
  }
  Outcome outcome;
  outcome.cost.steps = 1;
  outcome.cost.samples = gradient.samples;
  outcome.cost.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.facts["factor"] = factor;
  return outcome;
}

}  // namespace

Method unroll() {
  return {.id = "unroll",
          .summary = "adds back forget's first-order effect at the initial weights, in one step",
          .source = "Thudi et al. 2022 (Unrolling SGD); SDE, section 4.3",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            UnrollSettings settings;
            settings.rate = number_from(options, "rate", 0, 0);
            settings.epochs = number_from(options, "epochs", 0, 0);
            settings.sum = options.choice("reduction", "mean", {"mean", "sum"}) == "sum";
            return [settings](Problem& problem) { return run_unroll(problem, settings); };
          }};
}

}  // namespace vestige::unlearn
