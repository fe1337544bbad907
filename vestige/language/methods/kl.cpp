// Raises the loss of forget and keeps what the original says of retain:
// L = -CE(forget) + w KL(original || model) over the vocabulary at every retain token (TOFU's KL).
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method kl() {
  return {"kl", "raises the loss of forget, keeps the original's answers on retain",
          "TOFU (Maini et al. 2024), KL minimisation", [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 2, .rate = 3e-4, .weight_decay = 0});
            const double weight = options.number("retain_weight", 1);
            return [stage, weight](Problem& problem) {
              const NetworkPointer original = copy_of(problem);
              return run_pairs(problem, stage, [&](const Batch& forget, const Batch& retain) {
                torch::Tensor before;
                {
                  const torch::NoGradGuard no_gradient;
                  before = torch::log_softmax(original->logits(retain.inputs), -1);
                }
                const torch::Tensor now =
                    torch::log_softmax(problem.network.logits(retain.inputs), -1);
                const torch::Tensor apart = (before.exp() * (before - now)).sum(-1);
                return weight * (apart * retain.scored).sum() / retain.scored.sum() -
                       cross_entropy(problem.network, forget);
              });
            };
          }};
}

}  // namespace vestige::language
