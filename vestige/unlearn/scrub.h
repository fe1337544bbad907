// SCRUB: away from the original on forgotten rows, close to it on retained ones.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method scrub();

/// T^2 * sum over rows of KL(softmax(teacher / T) || softmax(student / T)) / rows. Logits
/// [..., rows, classes] in, [...] out.
torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                           double temperature);

}  // namespace vestige::unlearn
