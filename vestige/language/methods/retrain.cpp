// Fine-tunes the pretrained model again, on retain alone: exact unlearning of fine-tuning data.
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method retrain() {
  return {"retrain", "the fine-tuning again without forget", "exact unlearning",
          [](Options&) -> Run {
            return [](Problem& problem) {
              problem.network.load(problem.pretrained(), "the pretrained model");
              problem.watch.total =
                  problem.finetune.epochs * static_cast<double>(problem.retain.size());
              return fit(problem.network, problem.retain, problem.finetune, problem.seed,
                         "language/finetune", problem.watch);
            };
          }};
}

}  // namespace vestige::language
