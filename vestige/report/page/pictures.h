// Images of rows, and where models looked, as JSON for the page: remembered.pictures of
// results.json.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"

namespace vestige::report {

inline constexpr std::size_t kMostPictures = 12;

/// For the first kMostPictures of these rows of forget, in their order: {"row", "image": {"width",
/// "height", "channels", "pixels"}, "maps": {"original/0": {..., "channels": 1}}}; pixels are
/// bytes, rows from the top, channels last, in base64; maps are Grad-CAM times 255. An empty list
/// where the evidence has no pictures; rows that it does not have are left out.
Json pictures_json(const evidence::Evidence& evidence, std::span<const std::size_t> rows);

/// What models made by themselves, pictures/samples.<model> of the evidence, in the order of their
/// names: {"samples": "original.0", "image": {...}} with the first picture of each.
Json samples_json(const evidence::Evidence& evidence);

}  // namespace vestige::report
