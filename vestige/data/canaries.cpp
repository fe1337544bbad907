// Drawing, relabelling and tossing coins for canaries.
#include "vestige/data/canaries.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/data/splits/draw.h"

namespace vestige::data {
namespace {

/// Official training rows that no part has.
Rows unused_rows(const Dataset& dataset, const Split& split) {
  Rows rows(dataset.train_rows);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  for (const auto& [name, part] : split.parts) rows = without(rows, part);
  return rows;
}

void add_rows(Rows& part, const Rows& more) {
  Rows both;
  std::merge(part.begin(), part.end(), more.begin(), more.end(), std::back_inserter(both));
  part = std::move(both);
}

}  // namespace

CanarySettings read_canaries(Options& options) {
  CanarySettings settings;
  settings.rows = options.integer("rows", settings.rows);
  if (settings.rows < 0) options.wrong("rows", "it must not be negative");
  settings.wrong_labels = options.choice("labels", "wrong", {"wrong", "own"}) == "wrong";
  options.finish();
  return settings;
}

void insert_canaries(Dataset& dataset, Split& split, const CanarySettings& settings,
                     std::uint64_t seed, const std::string& where) {
  const std::string kind = split.options.at("forget").at("kind").get<std::string>();
  require(kind != "class" && kind != "subclass" && kind != "none",
          "{}: canaries are forgotten beside rows of any class, but [forget] kind is \"{}\": use "
          "\"random\", \"partial_class\", \"subject\" or a list",
          where, kind);
  const Rows candidates = unused_rows(dataset, split);
  const auto count = static_cast<std::size_t>(settings.rows);
  require(
      count <= candidates.size(),
      "{}: rows is {}, but {} training examples are in no part of the split: give [split] train a "
      "smaller number, or ask for fewer canaries",
      where, count, candidates.size());
  const Rows canaries = draw_rows(
      candidates, dataset.labels, count,
      {.seed = seed, .purpose = "canaries", .stratified = true, .classes = dataset.classes});
  if (settings.wrong_labels) {
    require(dataset.classes >= 2, "{}: {} has one class only: set labels = \"own\"", where,
            dataset.name);
    Stream labels(seed, "canary labels");
    for (const std::int64_t row : canaries) {
      std::int64_t& label = dataset.labels[static_cast<std::size_t>(row)];
      const auto step = labels.below(static_cast<std::uint64_t>(dataset.classes - 1));
      label = (label + 1 + static_cast<std::int64_t>(step)) % dataset.classes;
    }
  }
  Stream coins(seed, "canary coins");
  Rows inserted;
  for (const std::int64_t row : canaries) {
    if (coins.below(2) == 1) inserted.push_back(row);
  }
  require(!inserted.empty() && inserted.size() < canaries.size(),
          "{}: the coins of {} canaries all fell alike: ask for more of them, better 200", where,
          canaries.size());
  add_rows(split.parts["train"], inserted);
  add_rows(split.parts["forget"], inserted);
  split.parts["canary"] = canaries;
  split.options["canaries"] = {
      {"rows", settings.rows}, {"labels", settings.wrong_labels ? "wrong" : "own"}, {"seed", seed}};
  split.sha256 = split_hash(split);
}

}  // namespace vestige::data
