// From a recipe to an open lab: data, split, forgotten and borrowed rows.
#include "vestige/train/lab.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/data/canaries.h"
#include "vestige/data/shift.h"
#include "vestige/data/splits/draw.h"
#include "vestige/data/splits/forget.h"
#include "vestige/train/row_hash.h"

namespace vestige::train {
namespace {

/// The set that a table names: the variants of an experiment share one copy of it.
std::shared_ptr<const data::Dataset> shared_data(Options options, const Context& context) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const data::Dataset>> loaded;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<const data::Dataset>& place = loaded[options.all().dump()];
  std::shared_ptr<const data::Dataset> dataset = place.lock();
  if (!dataset) {
    dataset = std::make_shared<data::Dataset>(data::load(options, context));
    place = dataset;
  }
  return dataset;
}

/// A lab whose data are its own and may still be changed.
struct Draft : Lab {
  explicit Draft(const std::shared_ptr<data::Dataset>& copy) : Lab(copy), own(*copy) {}
  data::Dataset& own;
};

/// Rows of the data set that [shadow] or [dynamic] names, or rows of the lab's own, and how they
/// are changed: what a hash of the split must know.
struct Borrowed {
  std::vector<std::int64_t> rows;
  Json what = Json::object();
};

/// The training part of another set behind the lab's own rows; `count` of it, 0: all.
Borrowed borrow(Draft& lab, const Json& table, std::size_t count, const std::string& where) {
  const std::shared_ptr<const data::Dataset> shared =
      shared_data(Options(table, where), lab.context);
  const data::Dataset& other = *shared;
  std::vector<std::int64_t> rows(other.train_rows);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  require(count <= rows.size(), "{}: {} rows are asked for, but {} has {} training examples", where,
          count, other.name, rows.size());
  if (count > 0) {
    rows = data::draw_rows(rows, other.labels, count,
                           {.seed = lab.recipe.seed,
                            .purpose = "borrowed rows",
                            .stratified = true,
                            .classes = other.classes});
  }
  Borrowed result;
  result.what["data"] = other.sha256;
  result.what["rows"] = hash_of(rows);
  result.rows = data::append_rows(lab.own, other, rows);
  return result;
}

void shift(Draft& lab, Borrowed& borrowed, const Json& table, const std::string& where) {
  if (table.is_null()) return;
  Options options(table, where);
  data::shift_rows(lab.own, borrowed.rows, options, lab.recipe.seed);
  borrowed.what["shift"] = options.used();
  borrowed.what["seed"] = lab.recipe.seed;
}

/// Rows of the official training part that no part of the split has.
std::vector<std::int64_t> left_over(const Lab& lab) {
  std::vector<std::int64_t> rows(lab.data.train_rows);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  for (const auto& [name, part] : lab.split.parts) rows = data::without(rows, part);
  return rows;
}

/// [dynamic]: train grows, and who is forgotten is among the new rows.
void grow(Draft& lab, Options& forget) {
  const DynamicSettings& dynamic = lab.recipe.dynamic;
  const std::string where = lab.recipe.path.string() + ": [dynamic]";
  const auto count = static_cast<std::size_t>(dynamic.rows);
  Borrowed added;
  if (dynamic.data.is_null()) {
    const auto candidates = left_over(lab);
    require(count <= candidates.size(),
            "{}: rows is {}, but {} training examples are in no part of the split: give [split] "
            "train a "
            "smaller number, or name a data set",
            where, count, candidates.size());
    added.rows = data::draw_rows(candidates, lab.data.labels, count,
                                 {.seed = lab.recipe.seed,
                                  .purpose = "dynamic rows",
                                  .stratified = true,
                                  .classes = lab.data.classes});
  } else {
    added = borrow(lab, dynamic.data, count, where + " data");
  }
  shift(lab, added, dynamic.shift, where + " shift");
  added.what["added"] = hash_of(added.rows);
  auto& parts = lab.split.parts;
  const auto forgotten = data::choose_forgotten(
      lab.data, added.rows, forget, lab.split.options.at("split").at("seed").get<std::uint64_t>());
  auto& train = parts["train"];
  train.insert(train.end(), added.rows.begin(), added.rows.end());
  std::sort(train.begin(), train.end());
  parts["forget"] = forgotten;
  parts["retain"] = data::without(train, forgotten);
  lab.added = std::move(added.rows);
  lab.split.options["forget"] = forget.used();
  lab.split.options["dynamic"] = std::move(added.what);
}

/// [shadow] data and shift: the shadow part is of another distribution.
void change_shadow(Draft& lab) {
  const ShadowSettings& shadow = lab.recipe.shadow;
  if (shadow.data.is_null() && shadow.shift.is_null()) return;
  const std::string where = lab.recipe.path.string() + ": [shadow]";
  auto& part = lab.split.parts["shadow"];
  Borrowed rows{part, Json::object()};
  if (!shadow.data.is_null()) rows = borrow(lab, shadow.data, part.size(), where + " data");
  shift(lab, rows, shadow.shift, where + " shift");
  part = std::move(rows.rows);
  lab.split.options["shadow"] = std::move(rows.what);
}

/// The lab's data with the rows that [dynamic] and [shadow] brought, once for all labs in which
/// they are the same: repeats that differ in who is forgotten alone.
std::shared_ptr<Lab> with_shared_rows(const std::shared_ptr<Draft>& draft) {
  const Json none;
  const auto brought = [&](const char* name) {
    return draft->split.options.contains(name) ? draft->split.options.at(name) : none;
  };
  const Json key = {draft->recipe.section("data").all(), brought("dynamic"), brought("shadow"),
                    hash_of(draft->added), hash_of(draft->split.part("shadow"))};
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const data::Dataset>> known;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<const data::Dataset>& place = known[key.dump()];
  const std::shared_ptr<const data::Dataset> same = place.lock();
  if (!same) {
    place = draft->dataset;
    return draft;
  }
  auto lab = std::make_shared<Lab>(same);
  lab->recipe = std::move(draft->recipe);
  lab->device = std::move(draft->device);
  lab->context = draft->context;
  lab->split = std::move(draft->split);
  lab->added = std::move(draft->added);
  return lab;
}

}  // namespace

std::shared_ptr<const Lab> open_lab(Recipe recipe, std::string device, const Context& context) {
  // Only a lab that changes rows needs a copy of the data.
  const bool changes = recipe.dynamic.rows > 0 || recipe.canaries.rows > 0 ||
                       !recipe.shadow.data.is_null() || !recipe.shadow.shift.is_null();
  const auto shared = shared_data(recipe.section("data"), context);
  std::shared_ptr<Draft> draft;
  if (changes) draft = std::make_shared<Draft>(std::make_shared<data::Dataset>(*shared));
  const std::shared_ptr<Lab> lab = changes ? draft : std::make_shared<Lab>(shared);
  Json sizes = recipe.section("split").all();
  if (!sizes.contains("seed")) sizes["seed"] = recipe.seed;
  Options split(sizes, recipe.section("split").where());
  Options forget = recipe.section("forget");
  lab->recipe = std::move(recipe);
  lab->device = std::move(device);
  lab->context = context;
  const bool grows = lab->recipe.dynamic.rows > 0;
  Options nobody(Json{{"kind", "none"}}, forget.where());
  lab->split = data::make_split(lab->data, split, grows ? nobody : forget);
  if (grows) grow(*draft, forget);
  if (lab->recipe.canaries.rows > 0) {
    data::insert_canaries(draft->own, lab->split, lab->recipe.canaries, lab->recipe.seed,
                          lab->recipe.path.string() + ": [canaries]");
  }
  if (changes) change_shadow(*draft);
  if (lab->split.options.contains("dynamic") || lab->split.options.contains("shadow")) {
    lab->split.sha256 = data::split_hash(lab->split);
  }
  // Parts that the recipe does not ask for are there, without rows.
  for (const char* name :
       {"train", "forget", "retain", "validation", "test", "calibration", "shadow", "canary"}) {
    lab->split.parts.try_emplace(name);
  }
  return changes && lab->recipe.canaries.rows == 0 ? with_shared_rows(draft) : lab;
}

}  // namespace vestige::train
