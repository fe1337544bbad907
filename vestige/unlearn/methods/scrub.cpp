// Max steps and min steps against a frozen copy of the original.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/distillation.h"
#include "vestige/unlearn/parts/rounds.h"

namespace vestige::unlearn {
namespace {

struct ScrubPlan {
  train::Phase phase;          ///< min steps, on retain
  std::int64_t max_steps = 1;  ///< epochs that begin with a pass over forget
  std::int64_t forget_batch = 128;
  double gamma = 0.99;   ///< of the cross-entropy
  double alpha = 0.001;  ///< of the distillation
  double temperature = 4;
};

ScrubPlan read_plan(Options& options) {
  ScrubPlan plan;
  plan.phase = read_phase(options, {.epochs = 1, .rate = 5e-4});
  plan.max_steps = options.integer("max_steps", plan.max_steps);
  if (plan.max_steps < 0) options.wrong("max_steps", "it must not be negative");
  plan.forget_batch = options.integer("forget_batch", plan.phase.batch);
  if (plan.forget_batch < 1) options.wrong("forget_batch", "it must be at least 1");
  plan.gamma = options.number("gamma", plan.gamma);
  plan.alpha = options.number("alpha", plan.alpha);
  plan.temperature = options.number("temperature", plan.temperature);
  if (!(plan.temperature > 0)) options.wrong("temperature", "it must be positive");
  return plan;
}

torch::Tensor frozen_logits(models::Network& teacher, const train::Batch& batch) {
  const torch::NoGradGuard no_gradient;
  return teacher.forward(batch.inputs);
}

Outcome run_scrub(Problem& problem, const ScrubPlan& plan) {
  const models::NetworkPointer teacher = copy_of(problem, problem.network);
  const train::Objective leave = [&](models::Network& network, const train::Batch& batch,
                                     const train::Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    return train::Losses{-distillation(logits, frozen_logits(*teacher, batch), plan.temperature),
                         logits};
  };
  const train::Objective stay = [&, inner = train::cross_entropy()](models::Network& network,
                                                                    const train::Batch& batch,
                                                                    const train::Step& step) {
    train::Losses losses = inner(network, batch, step);
    losses.each =
        plan.gamma * losses.each +
        plan.alpha * distillation(losses.logits, frozen_logits(*teacher, batch), plan.temperature);
    return losses;
  };
  Outcome outcome;
  for (std::int64_t round = 0; round < rounds(plan.phase); ++round) {
    if (round < plan.max_steps) {
      train::Phase maximise = round_of(plan.phase, round, "max");
      maximise.batch = plan.forget_batch;
      maximise.objective = leave;
      outcome.cost += train::run_phase(problem.network, problem.samples, problem.forget,
                                       problem.seed, maximise, problem.watch);
    }
    train::Phase minimise = round_of(plan.phase, round, "min");
    minimise.objective = stay;
    outcome.cost += train::run_phase(problem.network, problem.samples, problem.retain, problem.seed,
                                     minimise, problem.watch);
  }
  return outcome;
}

}  // namespace

Method scrub() {
  return {.id = "scrub",
          .summary = "away from the original on forget examples, back to it on retain examples",
          .source = "competition, A.7.2 (Kurmanji et al. 2023)",
          .needs = {},
          .presets = {{"casia_surf", {{"rate", 5e-4}, {"epochs", 1}, {"max_steps", 1}}},
                      {"femnist", {{"rate", 0.001}, {"epochs", 2}, {"max_steps", 2}}}},
          .prepare = [](Options& options) -> Run {
            const ScrubPlan plan = read_plan(options);
            return [plan](Problem& problem) { return run_scrub(problem, plan); };
          }};
}

}  // namespace vestige::unlearn
