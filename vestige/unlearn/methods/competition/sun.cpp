// Sun (competition, A.4).
#include <fmt/format.h>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct SunSettings {
  std::int64_t noised_epochs = 0;
  double noised_rate = 0;
  double share = 0;
  double noise = 0;
  train::Phase repair;
};

SunSettings read_sun(Options& options) {
  SunSettings settings;
  settings.noised_epochs = options.integer("noised_epochs", 5);
  if (settings.noised_epochs < 0) options.wrong("noised_epochs", "it must not be negative");
  settings.noised_rate = read_not_negative(options, "noised_rate", 2e-4);
  settings.share = read_share(options, "share", 0.4);
  settings.noise = read_not_negative(options, "noise", 0.04);
  settings.repair = read_phase(options, {.epochs = 4, .batch = 64, .rate = 0.001});
  return settings;
}

Outcome run_sun(Problem& problem, const SunSettings& settings) {
  const std::vector<WeightLayer> layers = weight_layers(problem.network);
  reinitialise(problem, {classifier(problem.network)}, seed_for(problem, "sun/fresh"));
  Outcome outcome;
  Json chosen = Json::array();
  for (std::int64_t epoch = 0; epoch < settings.noised_epochs; ++epoch) {
    Stream stream(problem.seed, "sun/layers", static_cast<std::uint64_t>(epoch));
    train::Phase phase = settings.repair;
    phase.epochs = 1;
    phase.optimizer.rate = settings.noised_rate;
    phase.schedule = {};
    phase.purpose = fmt::format("sun/noised/{}", epoch);
    Json names = Json::array();
    for (const WeightLayer& layer : random_layers(layers, settings.share, stream)) {
      add_noise(layer.parameters(), settings.noise, stream);
      for (const torch::Tensor& tensor : layer.parameters()) phase.parameters.push_back(tensor);
      names.push_back(layer.name);
    }
    chosen.push_back(names);
    if (phase.parameters.empty()) continue;  // share 0
    outcome.cost += run_phase(problem.network, problem.samples, problem.retain, problem.seed, phase,
                              problem.watch);
  }
  train::Phase repair = settings.repair;
  repair.purpose = "sun/repair";
  outcome.cost += run_phase(problem.network, problem.samples, problem.retain, problem.seed, repair,
                            problem.watch);
  outcome.facts = {{"noised_layers", chosen}};
  return outcome;
}

}  // namespace

Method sun() {
  return {.id = "sun",
          .summary = "new classifier, epochs of noise on random layers, then fine-tuning",
          .source = "competition, A.4",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const SunSettings settings = read_sun(options);
            return [settings](Problem& problem) { return run_sun(problem, settings); };
          }};
}

}  // namespace vestige::unlearn
