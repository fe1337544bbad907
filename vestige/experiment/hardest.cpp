// Searching forget rows for a variant.
#include "vestige/experiment/hardest.h"

#include <algorithm>
#include <set>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"

namespace vestige::experiment {
namespace {

/// The models in the graph of `original`, after those whose weights they begin with ([dynamic]) and
/// which share a graph with these.
std::vector<train::ModelPlan> with_needs(std::span<const train::ModelPlan> plans,
                                         std::span<const train::ModelPlan> originals) {
  std::set<std::string> starts;
  for (const train::ModelPlan& plan : originals) starts.insert(plan.start);
  std::vector<train::ModelPlan> models;
  for (std::size_t first = 0; first < plans.size();) {
    const auto graph = plans.subspan(first, static_cast<std::size_t>(plans[first].copies));
    if (std::any_of(graph.begin(), graph.end(), [&](const train::ModelPlan& plan) {
          return starts.contains(plan.identity.name());
        })) {
      models.insert(models.end(), graph.begin(), graph.end());
    }
    first += graph.size();
  }
  models.insert(models.end(), originals.begin(), originals.end());
  return models;
}

}  // namespace

Search plan_search(std::shared_ptr<const train::Lab> lab, const train::HardestSettings& settings) {
  const std::vector<train::ModelPlan> plans = train::plan(*lab);
  const auto original = std::find_if(plans.begin(), plans.end(), [](const train::ModelPlan& plan) {
    return plan.role == "original";
  });
  require(original != plans.end(),
          "{}: the search starts from an original: give [pool] original at least 1",
          lab->recipe.path.string());
  std::vector<train::ModelPlan> models =
      with_needs(plans, {original, static_cast<std::size_t>(original->copies)});
  return {std::move(lab), *original, std::move(models), settings, {}};
}

Search plan_search(const VariantPlan& variant, const std::string& device, const Context& context) {
  Options options(variant.hardest, fmt::format("{}: variant {}: hardest",
                                               variant.recipe.path.string(), variant.name));
  train::HardestSettings settings = train::read_hardest(options);
  auto lab = train::open_lab(variant.recipe, device, context);
  settings.count = static_cast<std::int64_t>(lab->split.part("forget").size());
  Search search = plan_search(std::move(lab), settings);
  const Json what = {{"original", search.original.identity.name()},
                     {"count", settings.count},
                     {"options", options.used()},
                     {"seed", variant.recipe.seed}};
  const std::string text = what.dump();
  search.key = sha256(std::as_bytes(std::span(text)));
  return search;
}

std::string search(const Search& search, const pool::Store& store) {
  const train::HardestRows found =
      train::find_hardest(search.lab, search.original.model,
                          store.read(search.original.identity.name(), "model.safetensors"),
                          search.settings, search.lab->recipe.seed);
  std::string text;
  for (const std::int64_t row : found.rows) text += fmt::format("{}\n", row);
  return text;
}

void use_list(VariantPlan& variant, const std::string& file) {
  const std::filesystem::path pool = variant.recipe.pool.folder;
  Json table = variant.recipe.table;
  table["forget"] = {{"kind", "hardest"}, {"file", file}};
  variant.recipe = train::make_recipe(std::move(table), variant.recipe.path);
  variant.recipe.pool.folder = pool;
}

}  // namespace vestige::experiment
