// Raises the loss of forget: L = -CE(forget). Nothing holds the rest in place, so it collapses
// soon.
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method gradient_ascent() {
  return {"gradient_ascent", "raises the loss of forget", "Jang et al. 2023; TOFU's GA",
          [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 2, .rate = 3e-4, .weight_decay = 0});
            return [stage](Problem& problem) {
              return run_pairs(problem, stage, [&](const Batch& forget, const Batch&) {
                return -cross_entropy(problem.network, forget);
              });
            };
          }};
}

}  // namespace vestige::language
