// Searching forget rows for an arm.
#include "vestige/experiment/worst_case.h"

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"

namespace vestige::experiment {

Search plan_search(std::shared_ptr<const train::Lab> lab,
                   const train::WorstCaseSettings& settings) {
  Search search{std::move(lab), {}, settings, {}};
  search.originals = train::plan(*search.lab);
  std::erase_if(search.originals,
                [](const train::ModelPlan& plan) { return plan.role != "original"; });
  require(!search.originals.empty(),
          "{}: the search starts from an original: give [pool] original at least 1",
          search.lab->recipe.path.string());
  search.originals.erase(search.originals.begin() + search.originals.front().copies,
                         search.originals.end());
  return search;
}

Search plan_search(const ArmPlan& arm, const std::string& device) {
  Options options(arm.worst_case,
                  fmt::format("{}: arm {}: worst_case", arm.recipe.path.string(), arm.name));
  train::WorstCaseSettings settings = train::read_worst_case(options);
  auto lab = train::open_lab(arm.recipe, device);
  settings.count = static_cast<std::int64_t>(lab->split.part("forget").size());
  Search search = plan_search(std::move(lab), settings);
  const Json what = {{"original", search.originals.front().identity.name()},
                     {"count", settings.count},
                     {"options", options.used()},
                     {"seed", arm.recipe.seed}};
  const std::string text = what.dump();
  search.key = sha256(std::as_bytes(std::span(text)));
  return search;
}

std::string search(const Search& search, const pool::Store& store) {
  const train::ModelPlan& original = search.originals.front();
  const train::WorstCase found = train::find_worst_case(
      search.lab, original.model, store.read(original.identity.name(), "model.safetensors"),
      search.settings, search.lab->recipe.seed);
  std::string text;
  for (const std::int64_t row : found.rows) text += fmt::format("{}\n", row);
  return text;
}

void use_list(ArmPlan& arm, const std::string& file) {
  const std::filesystem::path pool = arm.recipe.pool.folder;
  Json table = arm.recipe.table;
  table["forget"] = {{"kind", "worst_case"}, {"file", file}};
  arm.recipe = train::make_recipe(std::move(table), arm.recipe.path);
  arm.recipe.pool.folder = pool;
}

}  // namespace vestige::experiment
