// FEMNIST: handwritten characters by writer, as LEAF prepares them.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// Keys: path, the folder of train/*.json and test/*.json, or of all_data/*.json (then there is no
/// test part); LEAF's data/ inside it is found too; rows (0: all) with seed (0): so many images of
/// all files at random, none of which is a test part (competition paper, A.6: 30,400). Users are
/// subjects, numbered in the order of their sorted names.
Dataset load_femnist(Options& options, const Context& context);

}  // namespace vestige::data
