// LibTorch's process-wide settings: threads, precision, determinism. No LibTorch in this header.
#pragma once

#include <cstdint>
#include <string>

#include "vestige/train/settings.h"

namespace vestige::train {

/// Sets LibTorch's thread count for this process and the quiet defaults; called before any work.
/// `precision` and `deterministic` are those of [train]; an InputError where the device cannot.
void prepare_engine(const std::string& device, std::int64_t threads,
                    const std::string& precision = "float32", bool deterministic = false);
void prepare_engine(const std::string& device, const TrainSettings& settings);

/// Whether cuDNN tries its algorithms at sizes of convolutions that it has not met yet and keeps
/// the fastest (never where training is deterministic). That takes seconds with many models in one
/// graph: worth it for the batches of training, not for the last, smaller one of an epoch or for
/// one look at the test rows.
void try_algorithms(bool wanted);

/// Whether this process can compute there: always on "cpu", on "cuda" if LibTorch finds a device.
bool has_device(const std::string& device);

/// What the engine was prepared for last: "float32", "tf32" or "bf16".
const std::string& engine_precision();

/// "LibTorch 1.13.1, OpenBLAS" and the like, for facts and error reports.
std::string engine_name();

}  // namespace vestige::train
