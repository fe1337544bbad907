// NPO without a reference model (Fan et al. 2024): the mean log-probability of a token in the place
// of the ratio. L = -(2 / beta) mean ln sigmoid(-(beta / |y|) ln p(y) - gamma) + w CE(retain).
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method simnpo() {
  return {"simnpo", "lowers the probability of forget per token, without a reference",
          "Fan et al. 2024, Simplicity Prevails (SimNPO)", [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 5, .rate = 3e-4, .weight_decay = 0});
            const double beta = options.number("beta", 2.5);
            if (!(beta > 0)) options.wrong("beta", "it must be above 0");
            const double gamma = options.number("gamma", 0);
            const double weight = options.number("retain_weight", 1);
            return [stage, beta, gamma, weight](Problem& problem) {
              return run_pairs(problem, stage, [&](const Batch& forget, const Batch& retain) {
                const torch::Tensor each =
                    sequence_log_probabilities(problem.network, forget) / forget.scored.sum(1);
                return -(2 / beta) * torch::log_sigmoid(-beta * each - gamma).mean() +
                       weight * cross_entropy(problem.network, retain);
              });
            };
          }};
}

}  // namespace vestige::language
