// Goes on training on retain: what is not repeated fades.
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method finetune() {
  return {"finetune", "more training on retain", "baseline of TOFU (Maini et al. 2024)",
          [](Options& options) -> Run {
            const StageSettings stage = read_steps(options, {.epochs = 3, .rate = 1e-3});
            return [stage](Problem& problem) {
              problem.watch.total = stage.epochs * static_cast<double>(problem.retain.size());
              return fit(problem.network, problem.retain, stage, problem.seed,
                         "language/unlearn/retain", problem.watch);
            };
          }};
}

}  // namespace vestige::language
