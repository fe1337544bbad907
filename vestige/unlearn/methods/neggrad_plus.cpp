// Two losses, one step.
#include "vestige/unlearn/methods/neggrad_plus.h"

#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {
namespace {

Outcome run_neggrad_plus(Problem& problem, train::Phase phase, double a) {
  train::Cycle forget(problem.samples, problem.forget, phase.batch, problem.seed, "forget");
  std::int64_t forgotten_rows = 0;
  phase.objective = [&, inner = train::cross_entropy()](models::Network& network,
                                                        const train::Batch& batch,
                                                        const train::Step& step) {
    train::Losses losses = inner(network, batch, step);
    const train::Batch forgotten = forget.next();
    forgotten_rows += forgotten.labels.size(1);
    losses.each = contrast(losses.each, inner(network, forgotten, step).each, a);
    return losses;
  };
  Outcome outcome{train::run_phase(problem.network, problem.samples, problem.retain, problem.seed,
                                   phase, problem.watch)};
  outcome.cost.samples += forgotten_rows;
  return outcome;
}

}  // namespace

torch::Tensor contrast(const torch::Tensor& retained, const torch::Tensor& forgotten, double a) {
  return a * retained - (1 - a) * forgotten;
}

Method neggrad_plus() {
  const Json conformal = {
      {"epochs", 10}, {"rate", 0.1}, {"batch", 64}, {"weight_decay", 0}, {"schedule", "cosine"}};
  Json conformal_class = conformal;
  conformal_class["epochs"] = 2;
  Json conformal_vit = conformal;
  conformal_vit["epochs"] = 5;
  conformal_vit["rate"] = 0.001;
  return {.id = "neggrad_plus",
          .summary = "a CE(retain) - (1-a) CE(forget), forget batches cycled",
          .source = "competition, A.7.2; conformal, App. B (Kurmanji et al. 2023)",
          .needs = {},
          .presets = {{"casia_surf", {{"a", 0.99999}, {"rate", 0.001}, {"epochs", 1}}},
                      {"femnist", {{"a", 0.9999}, {"rate", 0.005}, {"epochs", 1}}},
                      {"conformal", conformal},
                      {"conformal_class", conformal_class},
                      {"conformal_vit", conformal_vit}},
          .prepare = [](Options& options) -> Run {
            const double a = options.number("a", 0.99999);
            if (!(a >= 0 && a <= 1)) options.wrong("a", "it must be between 0 and 1");
            const train::Phase phase = read_phase(options, {.epochs = 1, .rate = 0.001});
            return [a, phase](Problem& problem) { return run_neggrad_plus(problem, phase, a); };
          }};
}

}  // namespace vestige::unlearn
