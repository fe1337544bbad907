// The classifier's weights and biases are zeroed.
#include "vestige/base/error.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {
namespace {

Outcome zero_classifier(Problem& problem) {
  // Every architecture registers its last linear layer last: weight [1, classes, in], bias
  // [1, classes].
  const std::vector<torch::Tensor> parameters = problem.network.parameters();
  const std::size_t count = parameters.size();
  const std::int64_t classes = problem.samples.classes();
  require(count >= 2 && parameters[count - 2].dim() == 3 && parameters[count - 1].dim() == 2 &&
              parameters[count - 2].size(1) == classes && parameters[count - 1].size(1) == classes,
          "collapse: the network does not end in a linear layer of {} classes: choose another "
          "architecture",
          classes);
  const torch::NoGradGuard no_gradient;
  for (const std::size_t index : {count - 2, count - 1}) {
    torch::Tensor parameter = parameters[index];
    parameter.zero_();
  }
  return {};
}

}  // namespace

Method collapse() {
  return {.id = "collapse",
          .summary = "the classifier is zeroed: all logits are constant (control)",
          .source = "control",
          .needs = {},
          .presets = {},
          .prepare = [](Options&) -> Run { return zero_classifier; }};
}

}  // namespace vestige::unlearn
