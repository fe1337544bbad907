// Canaries: rows that fair coins put into training and into what is forgotten, so that a lower
// bound on epsilon can be had from one model (Steinke, Nasr and Jagielski 2023).
#pragma once

#include <cstdint>

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"
#include "vestige/data/splits/split.h"

namespace vestige::data {

/// `[canaries]` of a recipe.
struct CanarySettings {
  std::int64_t rows = 0;     ///< canaries, in training or not; 0: none
  bool wrong_labels = true;  ///< each gets one of the other classes, drawn at random
};

/// Reads all keys and finishes the section.
CanarySettings read_canaries(Options& options);

/// Draws training rows that no part of the split has, relabels them in `dataset` if asked for, and
/// tosses an independent fair coin for each: those that come up are added to train and forget. The
/// part `canary` holds them all. The split's options and hash then know of them. InputError, which
/// begins with `where`, if there are too few rows, if forgetting is by class (the canaries of other
/// classes would make it something else), or if the coins leave one side empty.
void insert_canaries(Dataset& dataset, Split& split, const CanarySettings& settings,
                     std::uint64_t seed, const std::string& where);

}  // namespace vestige::data
