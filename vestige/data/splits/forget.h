// Who is forgotten: the rows of train that `[forget]` names or draws.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"
#include "vestige/data/splits/draw.h"

namespace vestige::data {

/// Which rows are forgotten: random, class, partial_class, subclass, subject, list, hardest or
/// none (docs/lab/splits.md).
std::string forget_kind(Options& options);

/// The forgotten rows, ascending, a subset of `train` that leaves at least one row; empty only for
/// kind none. Reads all keys of `[forget]` and finishes it; `default_seed` is the split's.
Rows choose_forgotten(const Dataset& dataset, const Rows& train, Options& options,
                      std::uint64_t default_seed);

/// Row numbers of a file in its order: .npy with whole numbers, or text or CSV with one row per
/// line, of which the first column counts; a header line is passed over.
Rows read_row_list(const std::filesystem::path& path);

/// A seed of a recipe: any whole number from 0 on.
std::uint64_t read_seed(Options& options, std::uint64_t fallback);

}  // namespace vestige::data
