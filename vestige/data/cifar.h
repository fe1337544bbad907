// CIFAR-10 and CIFAR-100 in their binary version.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// `name` cifar10, cifar100 (fine labels) or cifar20 (CIFAR-100's coarse labels, the fine ones as
/// subclasses). Key: path, the folder of data_batch_1.bin to data_batch_5.bin and test_batch.bin,
/// or of train.bin and test.bin; the archive's own folder inside it is found too.
Dataset load_cifar(Options& options);

}  // namespace vestige::data
