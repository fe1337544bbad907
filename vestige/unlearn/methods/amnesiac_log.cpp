// The sum of the logged updates is subtracted, and the damage repaired on request.
#include "vestige/base/error.h"
#include "vestige/models/weights/safetensors.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {
namespace {

constexpr const char* kLog = "forget_updates.safetensors";

void subtract(Problem& problem) {
  const std::map<std::string, torch::Tensor> updates =
      models::from_safetensors(problem.original_file(kLog), kLog);
  const torch::NoGradGuard no_gradient;
  for (const auto& item : problem.network.named_parameters()) {
    const auto found = updates.find(item.key());
    require(found != updates.end(), "{}: the updates of {} are missing: train the original again",
            kLog, item.key());
    torch::Tensor weights = item.value()[0];
    require(found->second.sizes() == weights.sizes(),
            "{}: the updates of {} have another shape: train the original again", kLog, item.key());
    weights.sub_(found->second.to(weights.device()));
  }
}

}  // namespace

Method amnesiac_log() {
  return {.id = "amnesiac_log",
          .summary = "subtract the logged updates of all batches that held forget examples",
          .source = "Graves et al. 2021",
          .needs = {.training_log = true},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const train::Phase repair = read_phase(options, {.epochs = 0});
            return [repair](Problem& problem) {
              subtract(problem);
              if (repair.epochs == 0) return Outcome{};
              return Outcome{train::run_phase(problem.network, problem.samples, problem.retain,
                                              problem.seed, repair, problem.watch)};
            };
          }};
}

}  // namespace vestige::unlearn
