// Forsaken: neurons are masked by learned amounts until forget rows get the posteriors of unseen
// rows.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Mean posterior per class, [classes, classes]: row y is the mean of the probabilities [n,
/// classes] over rows of label y, or over all rows where there is none of it.
torch::Tensor class_posteriors(const torch::Tensor& probabilities, const torch::Tensor& labels);

/// Mean over rows of KL(target of the row's label || softmax(logits)); logits [n, classes].
torch::Tensor unseen_divergence(const torch::Tensor& logits, const torch::Tensor& labels,
                                const torch::Tensor& targets);

}  // namespace vestige::unlearn
