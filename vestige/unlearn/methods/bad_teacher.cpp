// One student, two teachers.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/distillation.h"

namespace vestige::unlearn {
namespace {

Outcome run_bad_teacher(Problem& problem, train::Phase phase, double fraction, double temperature) {
  const models::NetworkPointer good = copy_of(problem, problem.network);
  const models::NetworkPointer bad = fresh_network(problem, problem.seed);
  bad->eval();
  const train::Rows kept = subset(problem.retain, fraction, problem.seed, "bad_teacher");
  train::Rows rows = problem.forget;
  rows.insert(rows.end(), kept.begin(), kept.end());
  const torch::Tensor is_forget = torch::zeros_like(problem.samples.labels(), torch::kBool);
  is_forget.index_fill_(0, problem.samples.index(problem.forget), true);
  phase.objective = [&](models::Network& network, const train::Batch& batch, const train::Step&) {
    torch::Tensor teacher;
    {
      const torch::NoGradGuard no_gradient;
      const torch::Tensor forgotten =
          is_forget.index_select(0, batch.rows.reshape({-1})).view(batch.rows.sizes());
      teacher = torch::where(forgotten.unsqueeze(-1), bad->forward(batch.inputs),
                             good->forward(batch.inputs));
    }
    const torch::Tensor logits = network.forward(batch.inputs);
    return train::Losses{distillation(logits, teacher, temperature), logits};
  };
  return {
      train::run_phase(problem.network, problem.samples, rows, problem.seed, phase, problem.watch)};
}

}  // namespace

Method bad_teacher() {
  return {.id = "bad_teacher",
          .summary = "an untrained teacher on the forget set, the original on the retain set",
          .source = "MIAU, A.5; conformal, App. A (Chundawat et al. 2023)",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const train::Phase phase = read_phase(
                options,
                {.epochs = 1, .batch = 256, .rate = 1e-4, .weight_decay = 0, .optimizer = "adam"});
            const double fraction = options.number("retain_fraction", 0.3);
            if (!(fraction >= 0 && fraction <= 1)) {
              options.wrong("retain_fraction", "it must be between 0 and 1");
            }
            const double temperature = options.number("temperature", 1);
            if (!(temperature > 0)) options.wrong("temperature", "it must be positive");
            return [phase, fraction, temperature](Problem& problem) {
              return run_bad_teacher(problem, phase, fraction, temperature);
            };
          }};
}

}  // namespace vestige::unlearn
