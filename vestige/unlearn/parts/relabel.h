// Other labels for some rows, for methods that teach wrong answers.
#pragma once

#include "vestige/base/seed.h"
#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

enum class LabelDraw {
  any,    ///< uniform over all classes, the true one included
  other,  ///< uniform over the classes that are not the true one
};

/// The labels of the whole data set, int64 [n], with those of `rows` drawn anew, in order.
torch::Tensor random_labels(const train::Samples& samples, const train::Rows& rows, LabelDraw draw,
                            Stream& stream);

/// Cross-entropy with labels[row] in place of the true labels; what is written into `labels` later
/// counts from then on.
train::Objective cross_entropy_with(const torch::Tensor& labels);

}  // namespace vestige::unlearn
