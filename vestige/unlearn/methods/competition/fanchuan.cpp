// Fanchuan (competition, A.4).
#include "vestige/unlearn/methods/competition/fanchuan.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/divergences.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct FanchuanSettings {
  std::int64_t rounds = 0;
  double temperature = 0;
  train::Phase uniform, contrast, repair;
};

/// A stage on the forget rows: SGD with the same momentum and no weight decay.
train::Phase forget_stage(std::int64_t batch, double rate, double momentum) {
  train::Phase phase;
  phase.epochs = 1;
  phase.batch = batch;
  phase.optimizer.rate = rate;
  phase.optimizer.momentum = momentum;
  return phase;
}

FanchuanSettings read_fanchuan(Options& options) {
  FanchuanSettings settings;
  settings.rounds = options.integer("rounds", 8);
  if (settings.rounds < 0) options.wrong("rounds", "it must not be negative");
  settings.temperature = read_positive(options, "temperature", 1.15);
  const double uniform_rate = read_not_negative(options, "uniform_rate", 0.005);
  const double contrast_rate = read_not_negative(options, "contrast_rate", 3e-4);
  const std::int64_t forget_batch = options.integer("forget_batch", 64);
  if (forget_batch < 1) options.wrong("forget_batch", "it must be at least 1");
  settings.repair =
      read_phase(options, {.epochs = 1, .batch = 256, .rate = 0.001, .weight_decay = 0.01});
  const double momentum = settings.repair.optimizer.momentum;
  settings.uniform = forget_stage(forget_batch, uniform_rate, momentum);
  settings.contrast = forget_stage(forget_batch, contrast_rate, momentum);
  return settings;
}

/// KL(uniform || p), up to which the published code minimises; its gradient, p - 1/classes, does
/// not vanish where the model is sure, as that of KL(p || uniform) does.
train::Losses towards_uniform(models::Network& network, const train::Batch& batch,
                              const train::Step&) {
  const torch::Tensor logits = network.forward(batch.inputs);
  const torch::Tensor log_p = torch::log_softmax(logits, -1);
  const double classes = static_cast<double>(logits.size(-1));
  return {mean_kl(torch::full_like(log_p, -std::log(classes)), log_p), logits};
}

Outcome run_fanchuan(Problem& problem, const FanchuanSettings& settings, const Repair& repair) {
  const auto go = [&](const train::Rows& rows, const train::Phase& phase) {
    return run_phase(problem.network, problem.samples, rows, problem.seed, phase, problem.watch);
  };
  Outcome outcome;
  train::Phase uniform = settings.uniform;
  uniform.purpose = "fanchuan/uniform";
  uniform.objective = towards_uniform;
  outcome.cost += go(problem.forget, uniform);

  train::Cycle retained(problem.samples, problem.retain, settings.repair.batch, problem.seed,
                        "fanchuan/contrast/retain");
  train::Phase apart = settings.contrast, mend = settings.repair;
  apart.objective = [&](models::Network& network, const train::Batch& batch, const train::Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    const torch::Tensor others = answers(network, retained.next().inputs);
    return train::Losses{-contrastive_loss(logits, others, settings.temperature), logits};
  };
  mend.objective = repair.objective;
  mend.optimizer.rate /= repair.mean_rate_factor;
  for (std::int64_t round = 0; round < settings.rounds; ++round) {
    // Cosine decay over the rounds.
    apart.optimizer.rate = settings.contrast.optimizer.rate * 0.5 *
                           (1 + std::cos(std::numbers::pi * static_cast<double>(round) /
                                         static_cast<double>(settings.rounds)));
    apart.purpose = fmt::format("fanchuan/contrast/{}", round);
    mend.purpose = fmt::format("fanchuan/repair/{}", round);
    outcome.cost += go(problem.forget, apart);
    outcome.cost += go(problem.retain, mend);
  }
  outcome.facts = {{"repair_rate", mend.optimizer.rate}};
  return outcome;
}

}  // namespace

torch::Tensor contrastive_loss(const torch::Tensor& forget, const torch::Tensor& retain,
                               double temperature) {
  const torch::Tensor similarities = torch::matmul(forget, retain.transpose(1, 2)) / temperature;
  return torch::log_softmax(similarities, -1).mean({1, 2});
}

Run prepare_fanchuan(Options& options, const MakeRepair& repair) {
  const FanchuanSettings settings = read_fanchuan(options);
  return [settings, repair](Problem& problem) {
    return run_fanchuan(problem, settings, repair ? repair(problem) : plain_repair(problem));
  };
}

Method fanchuan() {
  return {.id = "fanchuan",
          .summary = "forget examples to uniform answers, then 8 rounds of contrast and repair",
          .source = "competition, A.4 and A.7.2",
          .needs = {},
          .presets = {{"casia_surf",
                       {{"uniform_rate", 0.005}, {"contrast_rate", 3e-4}, {"rate", 0.004}}}},
          .prepare = [](Options& options) { return prepare_fanchuan(options, {}); }};
}

}  // namespace vestige::unlearn
