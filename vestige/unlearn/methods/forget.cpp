// Forget (competition, A.4).
#include <fmt/format.h>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/divergences.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct ForgetSettings {
  std::int64_t cycles = 0;
  double share = 0;
  double noise = 0;
  bool classifier = false;
  train::Phase phase;
};

ForgetSettings read_forget(Options& options) {
  ForgetSettings settings;
  settings.cycles = options.integer("cycles", 4);
  if (settings.cycles < 0) options.wrong("cycles", "it must not be negative");
  settings.share = read_share(options, "share", 0.3);
  settings.noise = read_not_negative(options, "noise", 0.1);
  settings.classifier = options.boolean("classifier", false);
  settings.phase = read_phase(options, {.epochs = 1, .batch = 64, .rate = 0.001});
  return settings;
}

Outcome run_forget(Problem& problem, const ForgetSettings& settings) {
  const models::NetworkPointer original = copy_of(problem, problem.network);
  std::vector<WeightLayer> layers = weight_layers(problem.network);
  if (!settings.classifier) {
    const std::string last = classifier(problem.network).name;
    std::erase_if(layers, [&](const WeightLayer& layer) { return layer.name == last; });
  }
  Outcome outcome;
  Json chosen = Json::array();
  for (std::int64_t cycle = 0; cycle < settings.cycles; ++cycle) {
    const auto index = static_cast<std::uint64_t>(cycle);
    Stream choice(problem.seed, "forget/layers", index),
        images(problem.seed, "forget/noise", index);
    const std::vector<WeightLayer> renewed = random_layers(layers, settings.share, choice);
    reinitialise(problem, renewed, seed_for(problem, "forget/fresh", index));
    Json names = Json::array();
    for (const WeightLayer& layer : renewed) names.push_back(layer.name);
    chosen.push_back(names);

    train::Phase phase = settings.phase;
    phase.purpose = fmt::format("forget/distil/{}", cycle);
    phase.objective = [&](models::Network& network, const train::Batch& batch, const train::Step&) {
      torch::Tensor inputs = batch.inputs;
      if (settings.noise > 0) {
        const torch::Tensor noise = train::normal_tensor(inputs.sizes(), images, inputs.device());
        inputs = inputs + settings.noise * noise;
      }
      const torch::Tensor logits = network.forward(inputs);
      return train::Losses{(logits - answers(*original, inputs)).square().mean({1, 2}), logits};
    };
    outcome.cost += run_phase(problem.network, problem.samples, problem.retain, problem.seed, phase,
                              problem.watch);
  }
  outcome.facts = {{"reinitialised_layers", chosen}};
  return outcome;
}

}  // namespace

Method forget() {
  return {
      .id = "forget",
      .summary = "cycles of new random layers and distilling the original on noised retain images",
      .source = "competition, A.4",
      .needs = {},
      .presets = {},
      .prepare = [](Options& options) -> Run {
        const ForgetSettings settings = read_forget(options);
        return [settings](Problem& problem) { return run_forget(problem, settings); };
      }};
}

}  // namespace vestige::unlearn
