// Fine-tuning on the retained rows.
#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {

Method finetune() {
  return {.id = "finetune",
          .summary = "cross-entropy on the retained rows",
          .source = "MIAU, Table 8; competition, A.3",
          .needs = {},
          .presets = {{"competition", {{"epochs", 1}, {"rate", 0.001}}},
                      {"conformal",
                       {{"epochs", 20},
                        {"rate", 0.1},
                        {"batch", 64},
                        {"weight_decay", 0},
                        {"schedule", "cosine"}}}},
          .prepare = [](Options& options) -> Run {
            // MIAU's Table 8: 5 epochs at rate .02, batches of 128.
            const train::Phase phase = read_phase(options, {.epochs = 5, .rate = 0.02});
            return [phase](Problem& problem) {
              return Outcome{run_phase(problem.network, problem.samples, problem.retain,
                                       problem.seed, phase, problem.watch)};
            };
          }};
}

}  // namespace vestige::unlearn
