// Pictures that a denoiser makes by itself: as rows, as a PNG, and as a classifier sees them.
#pragma once

#include <string>

#include "vestige/data/dataset.h"
#include "vestige/data/image.h"
#include "vestige/evidence/formats/array.h"
#include "vestige/models/denoiser.h"

namespace vestige::collect {

/// `count` samples (models/heun.h, always of the same noise) as normalised rows [count, C, H, W] of
/// the data set's size, within the range that pixels can have.
torch::Tensor sampled_rows(models::Denoiser& network, const data::Dataset& data,
                           std::int64_t count);

/// The first of such rows, at most `most`, side by side in a square with a pixel between.
data::Image picture_sheet(const torch::Tensor& rows, const data::Dataset& data, std::int64_t most);

/// The sheet as a picture of the evidence: uint8 [1, height, width], or [1, height, width, 3].
evidence::Array sheet_array(const data::Image& sheet, bool colour);

/// Penultimate outputs [n, d] of a classifier on such rows.
torch::Tensor feature_values(models::Network& classifier, const torch::Tensor& rows);

/// Where the grid of a model lies: "samples/unlearned-finetune-0.png".
std::string sample_file(std::string place);

}  // namespace vestige::collect
