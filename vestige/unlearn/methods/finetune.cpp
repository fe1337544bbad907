// Fine-tuning on the retained rows.
#include "vestige/unlearn/methods/finetune.h"

#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {

PhaseDefaults finetune_defaults() { return {.epochs = 5, .rate = 0.02}; }

Method finetune() {
  Json conformal = {
      {"epochs", 20}, {"rate", 0.1}, {"batch", 64}, {"weight_decay", 0}, {"schedule", "cosine"}};
  Json conformal_vit = conformal;
  conformal_vit["epochs"] = 5;
  conformal_vit["rate"] = 0.001;
  return {.id = "finetune",
          .summary = "cross-entropy on the retain examples",
          .source = "MIAU, Table 8; competition, A.3",
          .needs = {.logits = false},
          .presets = {{"competition", {{"epochs", 1}, {"rate", 0.001}}},
                      {"conformal", conformal},
                      {"conformal_vit", conformal_vit}},
          .prepare = [](Options& options) -> Run {
            const train::Phase phase = read_phase(options, finetune_defaults());
            return [phase](Problem& problem) {
              return Outcome{run_phase(problem.network, problem.samples, problem.retain,
                                       problem.seed, phase, problem.watch)};
            };
          }};
}

}  // namespace vestige::unlearn
