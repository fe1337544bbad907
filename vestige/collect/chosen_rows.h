// Which rows go into the evidence, split by split. No LibTorch here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vestige/collect/collect.h"
#include "vestige/collect/sources.h"
#include "vestige/data/splits/draw.h"
#include "vestige/train/lab.h"

namespace vestige::collect {

/// The rows that shadow models were trained on, as the evidence calls them.
inline constexpr const char* kShadowTrain = "shadow_train";

/// Rows of the data set by the name of a split.
using Splits = std::map<std::string, data::Rows>;

/// Whether all shadow models were trained on the whole shadow part: only then is it one split.
bool shadows_share_rows(const train::Lab& lab, const std::vector<train::ModelPlan>& models);

/// The split of a shadow model's own rows: shadow_train.<name>.
std::string own_split(const ModelSource& source);

/// The name of a pair's model in the evidence: "0" or "0.original".
std::string pair_name(const ModelSource& source);

/// The rows of every split. Shadows with rows of their own have them under shadow_train.<name>.
/// Canaries are a split of their own and not among the forget rows, which stay a draw of ordinary
/// rows with their own labels.
Splits chosen_rows(const train::Lab& lab, const CollectSettings& settings,
                   const std::vector<ModelSource>& sources);

}  // namespace vestige::collect
