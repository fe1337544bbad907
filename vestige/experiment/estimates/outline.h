// A variant in outline: a few models of each role and a few runs of each method stand for all of
// them, so that the plan of a million runs is made in seconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "vestige/train/recipe.h"

namespace vestige::experiment {

/// Most models of a role, and most runs of a method, that an outline lists: as many as the largest
/// graph has (train::automatic_copies), so that they are trained as all of them would be.
inline constexpr std::int64_t kOutlined = 64;

/// How many there are of what an outline lists few of. Empty in a variant that lists everything.
struct FullCounts {
  std::map<std::string, std::int64_t> models{};  ///< role -> models
  std::int64_t runs = 0;                         ///< of a method on each original
};

/// The recipe with as many models as an outline lists, and what there are in truth.
std::pair<train::Recipe, FullCounts> outlined(const train::Recipe& recipe);

/// Counts models that variants share once each. Models of one kind are numbered, and variants that
/// have some of them have the first ones: `count` models, `runs` times each. Two variants with
/// 1,000 x 1 and 100 x 20 runs have 2,900 together.
class SharedCount {
 public:
  /// How many are new with these; `kind` names the first model.
  double add(const std::string& kind, double count, double runs = 1);

 private:
  std::map<std::string, std::vector<std::pair<double, double>>> seen_;
};

}  // namespace vestige::experiment
