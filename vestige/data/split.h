// Who is trained on, forgotten and held out: row numbers of a data set under names, with a hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"

namespace vestige::data {

/// Parts by name: train, forget and retain (which together are train), validation, test,
/// calibration, shadow (what shadow models draw their rows from). All but forget and retain are
/// disjoint from train and from each other; row numbers ascend.
struct Split {
  std::map<std::string, std::vector<std::int64_t>> parts;
  Json options;        ///< everything that made it: [split], [forget] and the data's hash
  std::string sha256;  ///< of parts and options: names the split

  const std::vector<std::int64_t>& part(const std::string& name) const;  ///< InputError if absent
};

/// The split that `[split]` (sizes) and `[forget]` (who) describe; an impossible one is an
/// InputError that says how many rows there are.
Split make_split(const Dataset& dataset, Options& sizes, Options& forget);

/// A split is a JSON file; reading checks its hash.
void write_split(const Split& split, const std::filesystem::path& path);
Split read_split(const std::filesystem::path& path);

}  // namespace vestige::data
