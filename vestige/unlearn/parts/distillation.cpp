// KL divergence of softened predictions.
#include "vestige/unlearn/parts/distillation.h"

namespace vestige::unlearn {

torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                           double temperature) {
  const torch::Tensor expected = torch::log_softmax(teacher / temperature, -1);
  const torch::Tensor actual = torch::log_softmax(student / temperature, -1);
  return temperature * temperature * (expected.exp() * (expected - actual)).sum(-1).mean(-1);
}

}  // namespace vestige::unlearn
