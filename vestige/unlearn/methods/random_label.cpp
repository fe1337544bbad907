// Random labels for the forgotten rows, then repair.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/random_label_phases.h"

namespace vestige::unlearn {

Method random_label() {
  return {.id = "random_label",
          .summary = "random labels on the forget examples, then repair on the retain examples",
          .source = "competition, A.7; conformal, App. B (Graves et al. 2021)",
          .needs = {},
          .presets = random_label_presets(),
          .prepare = [](Options& options) -> Run {
            const RandomLabelPlan plan = read_random_label(options);
            return [plan](Problem& problem) { return Outcome{run_random_label(problem, plan)}; };
          }};
}

}  // namespace vestige::unlearn
