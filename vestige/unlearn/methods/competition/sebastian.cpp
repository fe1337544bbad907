// Sebastian (competition, A.4).
#include "vestige/unlearn/methods/competition/sebastian.h"

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/divergences.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct SebastianSettings {
  double share = 0;
  double entropy_factor = 0;
  double weight_power = 0;
  train::Phase phase;
};

SebastianSettings read_sebastian(Options& options) {
  SebastianSettings settings;
  settings.share = read_share(options, "share", 0.99);
  settings.entropy_factor = read_not_negative(options, "entropy_factor", 1);
  settings.weight_power = read_not_negative(options, "weight_power", 1);
  settings.phase = read_phase(options, {.epochs = 3.2, .batch = 64, .rate = 0.0005});
  return settings;
}

Outcome run_sebastian(Problem& problem, const SebastianSettings& settings) {
  train::Phase phase = settings.phase;
  phase.purpose = "sebastian/repair";
  phase.objective =
      entropy_objective(copy_of(problem, problem.network),
                        class_weights(problem.samples, problem.retain, settings.weight_power),
                        settings.entropy_factor);

  const std::vector<WeightLayer> layers = weight_layers(problem.network);
  std::vector<torch::Tensor> sizes;
  for (const WeightLayer& layer : layers) sizes.push_back(layer.weight.detach().abs());
  const std::vector<torch::Tensor> chosen = lowest_of_all(sizes, settings.share);
  reinitialise(problem, layers, chosen, seed_for(problem, "sebastian/fresh"));
  std::int64_t count = 0;
  for (const torch::Tensor& mask : chosen) count += mask.sum().item<std::int64_t>();

  Outcome outcome;
  outcome.cost = run_phase(problem.network, problem.samples, problem.retain, problem.seed, phase,
                           problem.watch);
  outcome.facts = {{"reinitialised", count}};
  return outcome;
}

}  // namespace

train::Objective entropy_objective(models::NetworkPointer teacher, const torch::Tensor& weights,
                                   double factor) {
  const train::Objective plain = train::cross_entropy(weights);
  return [teacher, plain, factor](models::Network& network, const train::Batch& batch,
                                  const train::Step& step) {
    train::Losses losses = plain(network, batch, step);
    const torch::Tensor own = entropies(torch::log_softmax(losses.logits, -1));
    const torch::Tensor old = entropies(torch::log_softmax(answers(*teacher, batch.inputs), -1));
    losses.each = losses.each + factor * (own - old).square().mean(1);
    return losses;
  };
}

torch::Tensor class_weights(const train::Samples& samples, const train::Rows& rows, double power) {
  const torch::Tensor counts = samples.class_counts(rows);
  return torch::where(counts > 0, counts.clamp_min(1).pow(-power), torch::zeros_like(counts));
}

Repair sebastian_repair(Problem& problem) {
  return {entropy_objective(copy_of(problem, problem.network),
                            class_weights(problem.samples, problem.retain, 1), 1),
          1};
}

Method sebastian() {
  return {
      .id = "sebastian",
      .summary = "re-initialise the 99 % smallest weights, then cross-entropy and old entropies",
      .source = "competition, A.4 and A.7.2",
      .needs = {},
      .presets = {{"casia_surf",
                   {{"share", 0.99}, {"rate", 0.0005}, {"epochs", 3.2}, {"weight_power", 0.1}}},
                  {"femnist", {{"share", 0.99}, {"rate", 0.0005}, {"epochs", 4.2}}}},
      .prepare = [](Options& options) -> Run {
        const SebastianSettings settings = read_sebastian(options);
        return [settings](Problem& problem) { return run_sebastian(problem, settings); };
      }};
}

}  // namespace vestige::unlearn
