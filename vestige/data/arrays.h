// Any data set as NumPy arrays.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// Keys: path, an npz; classes (default: one more than the largest label); layout, chw (default) or
/// hwc, where the channels of images stand. The npz holds inputs, uint8 (images, 0 to 255) or
/// numbers (values), as [n, columns], [n, height, width] or [n, channels, height, width]; labels
/// [n], from 0; and may hold subjects [n], subclasses [n], and either train_rows (the first so many
/// are the training part) or test_inputs, test_labels (test_subjects, test_subclasses).
Dataset load_arrays(Options& options);

}  // namespace vestige::data
