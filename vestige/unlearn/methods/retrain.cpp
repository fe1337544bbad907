// From scratch on the retained rows.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/retraining.h"

namespace vestige::unlearn {

Method retrain() {
  return {.id = "retrain",
          .summary = "from scratch on the retain examples, as the original was trained",
          .source = "all papers",
          .needs = {.logits = false},
          .presets = {},
          .prepare = [](Options&) -> Run {
            return [](Problem& problem) {
              return Outcome{train_from_scratch(problem, problem.retain)};
            };
          }};
}

}  // namespace vestige::unlearn
