// The distance between what a student and a teacher say, softened by a temperature.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// T^2 * sum over rows of KL(softmax(teacher / T) || softmax(student / T)) / rows. Logits
/// [..., rows, classes] in, [...] out.
torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                           double temperature);

}  // namespace vestige::unlearn
