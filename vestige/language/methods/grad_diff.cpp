// Raises the loss of forget and lowers that of retain: L = -CE(forget) + w CE(retain).
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method grad_diff() {
  return {"grad_diff", "raises the loss of forget, lowers that of retain",
          "Liu et al. 2022; TOFU's GradDiff", [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 2, .rate = 3e-4, .weight_decay = 0});
            const double weight = options.number("retain_weight", 1);
            return [stage, weight](Problem& problem) {
              return run_pairs(problem, stage, [&](const Batch& forget, const Batch& retain) {
                return weight * cross_entropy(problem.network, retain) -
                       cross_entropy(problem.network, forget);
              });
            };
          }};
}

}  // namespace vestige::language
