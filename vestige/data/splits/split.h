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
/// calibration, shadow (what shadow models draw their rows from), canary (rows that coins put into
/// train and forget, canaries.h). All but forget, retain and canary are disjoint from train and
/// from each other, and canary from all but train and forget; row numbers ascend. A part without
/// rows is absent.
struct Split {
  std::map<std::string, std::vector<std::int64_t>> parts;
  Json options;        ///< everything that made it: [split], [forget] and the data's hash
  std::string sha256;  ///< of parts and options: names the split

  const std::vector<std::int64_t>& part(const std::string& name) const;  ///< InputError if absent
};

/// The split that `[split]` (sizes) and `[forget]` (who) describe, both finished here; an
/// impossible one is an InputError that says how many rows there are (docs/lab/splits.md).
Split make_split(const Dataset& dataset, Options& sizes, Options& forget);

/// SHA-256 of options and parts as JSON with sorted keys and without spaces.
std::string split_hash(const Split& split);

/// A split is a JSON file; reading checks its hash and that its parts are what Split promises.
void write_split(const Split& split, const std::filesystem::path& path);
Split read_split(const std::filesystem::path& path);

/// InputError unless the split was made for exactly this data set.
void require_made_for(const Split& split, const Dataset& dataset);

/// {"sha256": ..., "parts": {name: {"rows": n, "classes": [rows per class], "subjects": n}}};
/// subjects is null if the data set has none.
Json summary(const Split& split, const Dataset& dataset);

/// The summary as a table for people, one line per part.
std::string split_text(const Split& split, const Dataset& dataset);

}  // namespace vestige::data
