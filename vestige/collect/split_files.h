// What the evidence says about rows, whatever a model says: labels, ids, subjects, pictures. No
// LibTorch here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/collect/chosen_rows.h"
#include "vestige/collect/folder.h"
#include "vestige/data/dataset.h"
#include "vestige/data/splits/draw.h"
#include "vestige/train/lab.h"

namespace vestige::collect {

/// Whether the recipe's models are denoisers, which say losses in the place of logits.
bool says_losses(const train::Lab& lab);

/// The values as a file.
std::string npy_of(const std::vector<std::int64_t>& values);

/// Labels, ids, subjects and subclasses of every split.
void write_splits(Folder& folder, const train::Lab& lab, const Splits& splits);

/// The images of these rows, as pictures/forget.npy.
void write_pictures(Folder& folder, const data::Dataset& data, const data::Rows& rows);

}  // namespace vestige::collect
