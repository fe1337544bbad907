// Amnesiacs (competition, A.4).
#include "vestige/unlearn/methods/competition/amnesiacs.h"

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/divergences.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct AmnesiacsSettings {
  double temperature = 0;
  train::Phase distil, repair;
};

AmnesiacsSettings read_amnesiacs(Options& options) {
  AmnesiacsSettings settings;
  settings.temperature = read_positive(options, "temperature", 5);
  const double distil_epochs = read_not_negative(options, "distil_epochs", 3);
  const double distil_rate = read_not_negative(options, "distil_rate", 9e-4);
  settings.repair =
      read_phase(options, {.epochs = 3, .batch = 64, .rate = 0.001, .schedule = "cosine"});
  settings.distil = settings.repair;
  settings.distil.epochs = distil_epochs;
  settings.distil.optimizer.rate = distil_rate;
  settings.distil.schedule = {};
  return settings;
}

Outcome run_amnesiacs(Problem& problem, const AmnesiacsSettings& settings) {
  const models::NetworkPointer original = copy_of(problem, problem.network);
  reinitialise(problem, {first_convolution(problem.network), classifier(problem.network)},
               seed_for(problem, "amnesiacs/fresh"));
  train::Phase distil = settings.distil;
  distil.purpose = "amnesiacs/distil";
  distil.objective = distillation(original, settings.temperature);
  train::Phase repair = settings.repair;
  repair.purpose = "amnesiacs/repair";
  repair.objective = cross_entropy_and_symmetric_kl(original, settings.temperature);
  Outcome outcome;
  outcome.cost += run_phase(problem.network, problem.samples, problem.validation, problem.seed,
                            distil, problem.watch);
  outcome.cost += run_phase(problem.network, problem.samples, problem.retain, problem.seed, repair,
                            problem.watch);
  return outcome;
}

}  // namespace

train::Objective distillation(models::NetworkPointer teacher, double temperature) {
  return [=](models::Network& network, const train::Batch& batch, const train::Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    const torch::Tensor target = answers(*teacher, batch.inputs);
    return train::Losses{mean_kl(torch::log_softmax(target / temperature, -1),
                                 torch::log_softmax(logits / temperature, -1)),
                         logits};
  };
}

train::Objective cross_entropy_and_symmetric_kl(models::NetworkPointer teacher,
                                                double temperature) {
  return [=](models::Network& network, const train::Batch& batch, const train::Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    const torch::Tensor own = torch::log_softmax(logits / temperature, -1);
    const torch::Tensor old = torch::log_softmax(answers(*teacher, batch.inputs) / temperature, -1);
    return train::Losses{mean_cross_entropy(torch::log_softmax(logits, -1), batch.labels) +
                             mean_kl(own, old) + mean_kl(old, own),
                         logits};
  };
}

Method amnesiacs() {
  return {
      .id = "amnesiacs",
      .summary = "new first convolution and classifier, distilled on validation, tuned on retain",
      .source = "competition, A.4 and A.7.2",
      .needs = {.validation = true, .convolutions = true},
      .presets = {{"casia_surf",
                   {{"distil_rate", 9e-4}, {"rate", 0.001}, {"distil_epochs", 3}, {"epochs", 3}}},
                  {"femnist",
                   {{"distil_rate", 0.001}, {"rate", 0.005}, {"distil_epochs", 4}, {"epochs", 4}}}},
      .prepare = [](Options& options) -> Run {
        const AmnesiacsSettings settings = read_amnesiacs(options);
        return [settings](Problem& problem) { return run_amnesiacs(problem, settings); };
      }};
}

}  // namespace vestige::unlearn
