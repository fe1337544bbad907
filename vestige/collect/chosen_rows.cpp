// Rows of splits, thinned where a recipe says so.
#include "vestige/collect/chosen_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "vestige/base/seed.h"

namespace vestige::collect {
namespace {

/// At most `most` of the rows, drawn at random; 0: all.
data::Rows thinned(const data::Rows& rows, std::int64_t most, std::uint64_t seed,
                   const std::string& name) {
  if (most == 0 || rows.size() <= static_cast<std::size_t>(most)) return rows;
  Stream stream(seed, "collect/" + name);
  data::Rows fewer;
  for (const std::size_t index : stream.sample(rows.size(), static_cast<std::size_t>(most))) {
    fewer.push_back(rows[index]);
  }
  return fewer;
}

}  // namespace

bool shadows_share_rows(const train::Lab& lab, const std::vector<train::ModelPlan>& models) {
  bool any = false;
  for (const train::ModelPlan& plan : models) {
    if (plan.role != "shadow") continue;
    any = true;
    if (plan.rows.list() != lab.split.part("shadow")) return false;
  }
  return any;
}

std::string own_split(const ModelSource& source) {
  return fmt::format("{}.{}", kShadowTrain, source.shadow);
}

std::string pair_name(const ModelSource& source) {
  return source.only_pair ? source.pair + ".original" : source.pair;
}

Splits chosen_rows(const train::Lab& lab, const CollectSettings& settings,
                   const std::vector<ModelSource>& sources) {
  Splits result;
  const auto add = [&](const std::string& name, const data::Rows& rows) {
    result[name] = thinned(rows, settings.rows, lab.recipe.seed, name);
  };
  for (const std::string& name : settings.splits) {
    const data::Rows& rows = lab.split.part(name == kShadowTrain ? "shadow" : name);
    add(name, name == "forget" ? data::without(rows, lab.split.part("canary")) : rows);
  }
  for (const ModelSource& source : sources) {
    if (settings.own_shadow_rows && !source.shadow.empty()) add(own_split(source), source.rows);
    if (source.pair.empty()) continue;
    const std::string name = pair_name(source);
    result["shadow_forget." + name] =
        thinned(source.left_out, settings.rows, lab.recipe.seed, "shadow_forget." + source.pair);
    // As many rows that were kept as rows that were left out.
    const auto most = static_cast<std::int64_t>(source.left_out.size());
    result["shadow_retain." + name] =
        thinned(source.rows, settings.rows == 0 ? most : std::min(settings.rows, most),
                lab.recipe.seed, "shadow_retain." + source.pair);
  }
  return result;
}

}  // namespace vestige::collect
