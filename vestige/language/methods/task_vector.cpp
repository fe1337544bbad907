// Task arithmetic (Ilharco et al. 2023): learns forget even better, and takes the difference away:
// w = w_original - scale (w_more - w_original).
#include "vestige/language/methods/methods.h"

namespace vestige::language {

Method task_vector() {
  return {"task_vector", "takes away what more training on forget would add",
          "Ilharco et al. 2023, Editing Models with Task Arithmetic", [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 5, .rate = 1e-3, .weight_decay = 0});
            const double scale = options.number("scale", 1);
            return [stage, scale](Problem& problem) {
              const NetworkPointer original = copy_of(problem);
              problem.watch.total = stage.epochs * static_cast<double>(problem.forget.size());
              const Cost cost = fit(problem.network, problem.forget, stage, problem.seed,
                                    "language/unlearn/forget", problem.watch);
              const torch::NoGradGuard no_gradient;
              torch::Tensor& values = problem.network.values();
              values.copy_(original->values() - scale * (values - original->values()));
              return cost;
            };
          }};
}

}  // namespace vestige::language
