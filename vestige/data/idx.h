// MNIST and Fashion-MNIST: IDX files, gzipped or plain.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// `name` fashion_mnist (default; path: Debian's dataset-fashion-mnist) or mnist. Keys: path, the
/// folder of train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte, each with or without .gz.
Dataset load_idx(Options& options);

}  // namespace vestige::data
