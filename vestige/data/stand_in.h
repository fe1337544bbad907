// Synthetic data in the place of files that are not at hand: a plan and its time can be known
// before anything is fetched.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::data {

/// The `[data]` of a synthetic set with the rows, shape, classes, subclasses and subjects of the
/// set that `data` names.
Json stand_in_for(const Json& data);

/// Replaces every set of a recipe whose files are not there ([data], [shadow] data, [dynamic] data)
/// by its stand-in, and takes out pretrained weights that are not there. Says what it replaced:
/// "cifar10 in data/cifar-10-batches-bin".
std::vector<std::string> use_stand_ins(Json& recipe);

}  // namespace vestige::data
