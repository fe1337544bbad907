// Chen et al. 2023 ("Boundary unlearning"), section 4.2.
#include <cmath>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige::unlearn {
namespace {

/// One more neuron beside the classifier's: logit = penultimate . weight + bias.
struct ShadowClass {
  torch::Tensor weight;  ///< [1, 1, features]
  torch::Tensor bias;    ///< [1, 1]

  /// Xavier's normal distribution and a bias of 0, as the published code draws it.
  explicit ShadowClass(const Problem& problem) {
    const torch::Tensor classifier = neuron_layers(problem.network).back().weight;
    const std::int64_t features = classifier.size(2);
    const double deviation =
        std::sqrt(2.0 / static_cast<double>(features + classifier.size(1) + 1));
    Stream stream(problem.seed, "boundary_expand");
    weight = (deviation * train::normal_tensor({1, 1, features}, stream, classifier.device()))
                 .set_requires_grad(true);
    bias = torch::zeros({1, 1}, classifier.options().requires_grad(false)).set_requires_grad(true);
  }

  /// Logits [1, b, classes + 1].
  torch::Tensor widened(models::Network& network, const torch::Tensor& inputs) const {
    models::Taps taps{{"penultimate"}, {}};
    const torch::Tensor logits = network.forward(inputs, &taps);
    const torch::Tensor features = taps.values.at("penultimate").flatten(2);
    const torch::Tensor shadow = torch::matmul(features, weight.transpose(1, 2));
    return torch::cat({logits, shadow + bias.unsqueeze(2)}, 2);
  }
};

Outcome run_boundary_expand(Problem& problem, train::Phase phase) {
  const ShadowClass shadow(problem);
  phase.parameters = problem.network.parameters();
  phase.parameters.push_back(shadow.weight);
  phase.parameters.push_back(shadow.bias);
  phase.objective = [shadow](models::Network& network, const train::Batch& batch,
                             const train::Step&) {
    const torch::Tensor logits = shadow.widened(network, batch.inputs);
    const torch::Tensor target = torch::full_like(batch.labels, logits.size(2) - 1);
    return train::Losses{row_losses(logits, target).mean(1), {}};
  };
  return Outcome{run_phase(problem.network, problem.samples, problem.forget, problem.seed, phase,
                           problem.watch)};
}

}  // namespace

Method boundary_expand() {
  return {.id = "boundary_expand",
          .summary = "moves a forgotten class to a shadow class that is cut off afterwards",
          .source = "Chen et al. 2023 (Boundary unlearning); IAM, C.4",
          .needs = {.class_forgetting = true},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const train::Phase phase =
                read_phase(options, {.epochs = 10, .rate = 1e-5, .weight_decay = 0});
            return [phase](Problem& problem) { return run_boundary_expand(problem, phase); };
          }};
}

}  // namespace vestige::unlearn
