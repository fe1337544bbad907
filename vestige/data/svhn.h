// Street View House Numbers, cropped digits.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// Key: path, the folder of train_32x32.mat and test_32x32.mat.
Dataset load_svhn(Options& options);

}  // namespace vestige::data
