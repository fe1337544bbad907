// Negative preference optimisation (Zhang et al. 2024): gradient ascent that slows down where the
// model already says less of a sequence than the original did. With r = ln p(y) - ln p_original(y),
// L = -(2 / beta) mean ln sigmoid(-beta r) + w CE(retain).
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method npo() {
  return {"npo", "lowers the probability of forget relative to the original",
          "Zhang et al. 2024, Negative Preference Optimization", [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 5, .rate = 3e-4, .weight_decay = 0});
            const double beta = options.number("beta", 0.1);
            if (!(beta > 0)) options.wrong("beta", "it must be above 0");
            const double weight = options.number("retain_weight", 1);
            return [stage, beta, weight](Problem& problem) {
              const NetworkPointer original = copy_of(problem);
              return run_pairs(problem, stage, [&](const Batch& forget, const Batch& retain) {
                torch::Tensor before;
                {
                  const torch::NoGradGuard no_gradient;
                  before = sequence_log_probabilities(*original, forget);
                }
                const torch::Tensor ratio =
                    sequence_log_probabilities(problem.network, forget) - before;
                return -(2 / beta) * torch::log_sigmoid(-beta * ratio).mean() +
                       weight * cross_entropy(problem.network, retain);
              });
            };
          }};
}

}  // namespace vestige::language
