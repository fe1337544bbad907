// Golatkar et al. 2020, with the limits of their published code and IAM's estimate of the Fisher
// matrix (elastic weight consolidation: squared gradients of single rows at their true labels).
#include "vestige/unlearn/methods/fisher.h"

#include <chrono>
#include <cmath>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige::unlearn {
namespace {

/// Of the weights of a class that is gone; the published code multiplies 1e-4 by its 10 for the
/// last layer.
constexpr double kLostClassVariance = 1e-3;

struct FisherSettings {
  FisherNoise noise;
  std::int64_t rows = 0;  ///< of retain that the estimate looks at; 0: all
};

/// Weights and biases of classes that retain does not hold: centre 0, a noise of their own.
void lose_classes(const torch::Tensor& kept, torch::Tensor parameter, torch::Tensor& deviation) {
  const torch::Tensor lost = per_neuron(kept.logical_not(), parameter).expand_as(parameter);
  parameter.masked_fill_(lost, 0);
  deviation = deviation.masked_fill(lost, std::sqrt(kLostClassVariance));
}

Outcome run_fisher(Problem& problem, const FisherSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  train::Rows rows = problem.retain;
  if (settings.rows > 0 && settings.rows < static_cast<std::int64_t>(rows.size())) {
    rows = subset(rows, static_cast<double>(settings.rows) / static_cast<double>(rows.size()),
                  problem.seed, "fisher/rows");
  }
  const Gradients fisher =
      mean_squared_gradient(problem.network, problem.samples, rows, 1, problem.seed);

  const torch::NoGradGuard no_gradient;
  const torch::Tensor kept = problem.samples.class_counts(problem.retain).gt(0);
  const bool all_kept = kept.all().item<bool>();
  const std::string classifier = neuron_layers(problem.network).back().name;
  std::size_t index = 0;
  for (auto& item : problem.network.named_parameters()) {
    torch::Tensor parameter = item.value();
    FisherNoise noise = settings.noise;
    noise.classifier = item.key().rfind(classifier + ".", 0) == 0;
    torch::Tensor deviation = fisher_deviation(fisher.values[index++], noise);
    if (noise.classifier && !all_kept) lose_classes(kept, parameter, deviation);
    Stream stream(problem.seed, "fisher/" + item.key());
    parameter.add_(deviation * train::normal_tensor(parameter.sizes(), stream, parameter.device()));
  }
  Outcome outcome;
  outcome.cost.samples = fisher.samples;
  outcome.cost.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace

torch::Tensor fisher_deviation(const torch::Tensor& fisher, const FisherNoise& noise) {
  torch::Tensor variance = (fisher + 1e-8).reciprocal().clamp_max(noise.classifier ? 1e2 : 1e3);
  variance = noise.alpha * variance;
  if (fisher.dim() > 2) variance = variance.mean(2, /*keepdim=*/true).expand_as(fisher);
  if (noise.classifier || fisher.dim() <= 2) variance = 10 * variance;
  return variance.pow(noise.exponent);
}

Method fisher() {
  return {.id = "fisher",
          .summary = "noise on every weight, the more the less retain depends on it",
          .source = "Golatkar et al. 2020 (Eternal sunshine); IAM, C.4",
          .needs = {},
          .presets = {{"iam", {{"alpha", 1e-9}}},
                      {"golatkar_formula", {{"alpha", 1e-9}, {"exponent", 0.25}}}},
          .prepare = [](Options& options) -> Run {
            FisherSettings settings;
            settings.noise.alpha = number_from(options, "alpha", settings.noise.alpha, 0);
            settings.noise.exponent = share(options, "exponent", settings.noise.exponent);
            settings.rows = integer_from(options, "rows", 0, 0);
            return [settings](Problem& problem) { return run_fisher(problem, settings); };
          }};
}

}  // namespace vestige::unlearn
