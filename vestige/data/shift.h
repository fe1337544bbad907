// Rows from elsewhere: images that are changed, and rows of another data set put behind one's own.
// Both make data that differ from what a model was trained on in a known way.
#pragma once

#include <cstdint>

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"
#include "vestige/data/splits/draw.h"

namespace vestige::data {

/// Changes the inputs of `rows` in place as `options` say, which are finished here (docs/lab/
/// recipes.md): kind = "noise" adds a normal number of deviation `amount` (in units of the full
/// range of bytes, or of a column's deviation); "contrast" multiplies the distance to mid-grey by
/// `amount`; "coarse" replaces blocks of `amount` x `amount` pixels by their mean, as upscaled
/// small pictures look. The last two are for images. The data set's own hash and statistics stay.
void shift_rows(Dataset& dataset, const Rows& rows, Options& options, std::uint64_t seed);

/// Puts rows of `other` behind those of `dataset` and returns their new numbers. Shapes must agree
/// and labels must be among the classes. Train part, statistics and hash stay those of `dataset`.
Rows append_rows(Dataset& dataset, const Dataset& other, const Rows& rows);

}  // namespace vestige::data
