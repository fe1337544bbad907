// Finding what a line of papers.toml is about in recipes, presets and plans.
#include "tests/experiment/papers/items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/experiment/experiment_plan.h"
#include "vestige/models/network.h"
#include "vestige/train/lab.h"
#include "vestige/train/settings.h"
#include "vestige/unlearn/registry.h"

namespace vestige::papers {
namespace {

namespace fs = std::filesystem;

fs::path recipe_path(const std::string& paper) {
  return fs::path(VESTIGE_SOURCE_DIR) / "recipes" / (paper + ".toml");
}

/// What a dotted path leads to; names with dots in them are tried too. Lists of tables are entered
/// by name or label.
const Json* at(const Json& table, const std::string& path) {
  if (table.is_array()) {
    for (const Json& entry : table) {
      if (entry == path) return &entry;
      if (!entry.is_object()) continue;
      const std::string name =
          entry.contains("label") ? entry.at("label").get<std::string>() : entry.value("name", "");
      if (path == name) return &entry;
      if (!name.empty() && path.starts_with(name + ".")) {
        return at(entry, path.substr(name.size() + 1));
      }
    }
    return nullptr;
  }
  if (!table.is_object()) return nullptr;
  if (table.contains(path)) return &table.at(path);
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    if (!table.contains(path.substr(0, dot))) continue;
    if (const Json* found = at(table.at(path.substr(0, dot)), path.substr(dot + 1))) return found;
  }
  return nullptr;
}

/// The recipe's table at its paper size.
Json paper_size(const std::string& paper) {
  Json recipe = read_toml(recipe_path(paper));
  const Json sizes = recipe.at("sizes");
  recipe.erase("sizes");
  experiment::merge(recipe, sizes.at("paper"));
  return recipe;
}

/// What [PAPER.needs] says of a key: of the longest beginning that is there.
std::string needs_of(const std::string& paper, const std::string& key) {
  const Json needs = all_papers().at(paper).value("needs", Json::object());
  std::string longest, what;
  for (const auto& [start, text] : needs.items()) {
    if (!key.starts_with(start) || start.size() < longest.size()) continue;
    longest = start;
    what = text.get<std::string>();
  }
  return what;
}

void add_items(std::vector<Item>& items, const std::string& section, const Json& typed,
               const std::string& prefix, const Json& values) {
  for (const auto& [key, entry] : typed.items()) {
    items.push_back({section, prefix + key, read_entry(entry, prefix + key),
                     values.contains(key) ? values.at(key) : Json(), ""});
  }
}

/// One planned variant of the paper size: its split on stand-ins and its models.
struct Planned {
  std::shared_ptr<const train::Lab> lab;
  models::Shape shape;  ///< of the real set's pictures
  Json collect;
};

void shrink(Json& holder) {
  if (!holder.contains("data") || holder["data"].value("name", "") != "synthetic") return;
  Json& data = holder["data"];
  if (data.contains("columns")) data["columns"] = 4;
  if (data.contains("height")) data["height"] = data["width"] = 2;
  if (data.contains("channels")) data["channels"] = 1;
}

Planned plan_of(const experiment::VariantPlan& variant) {
  Json table = variant.recipe.table;
  Planned result;
  const Json& data = table.at("data");
  result.shape.classes = data.value("classes", std::int64_t{10});
  if (data.contains("height")) {
    for (const char* side : {"channels", "height", "width"}) {
      result.shape.input.push_back(data.at(side).get<std::int64_t>());
    }
  } else {
    result.shape.input = {data.value("columns", std::int64_t{1})};
  }
  result.collect = table.value("collect", Json::object());
  shrink(table);
  for (const char* borrower : {"shadow", "dynamic"}) {
    if (table.contains(borrower)) shrink(table[borrower]);
  }
  result.lab = train::open_lab(train::make_recipe(table, variant.recipe.path), "cpu");
  return result;
}

std::int64_t size_of(const Planned& planned, const std::string& what) {
  const auto& parts = planned.lab->split.parts;
  const auto rows = [&](const std::string& part) {
    const auto found = parts.find(part);
    return found == parts.end() ? std::int64_t{0} : static_cast<std::int64_t>(found->second.size());
  };
  if (what == "parameters") {
    Options options(planned.lab->recipe.model, "test");
    return models::parameter_count(*models::make(options, planned.shape));
  }
  if (what.starts_with("collected ")) {
    const std::int64_t all = rows(what.substr(10));
    const std::int64_t most = planned.collect.value("rows", std::int64_t{0});
    return most == 0 ? all : std::min(all, most);
  }
  if (what.starts_with("removed ") || what.ends_with(" models")) {
    const bool removed = what.starts_with("removed ");
    const std::string role =
        removed ? "partial/" + what.substr(8) : what.substr(0, what.size() - 7);
    std::int64_t count = 0;
    for (const train::ModelPlan& plan : train::plan(*planned.lab)) {
      if (plan.role != role) continue;
      if (removed) return rows("train") - static_cast<std::int64_t>(plan.rows.held()->size());
      ++count;
    }
    return count;
  }
  return rows(what);
}

}  // namespace

Entry read_entry(const Json& typed, const std::string& what) {
  require(
      typed.is_array() && (typed.size() == 2 || typed.size() == 3) && typed[1].is_string() &&
          !typed[1].get<std::string>().empty(),
      "papers.toml: {} must be [value, \"section, table or figure\"], or have a third entry: why "
      "ours differs",
      what);
  return {typed[0], typed[1].get<std::string>(),
          typed.size() == 3 ? typed[2].get<std::string>() : ""};
}

bool Item::as_typed() const {
  return !ours.is_null() && same(paper.value, ours) == paper.differs.empty();
}

const Json& all_papers() {
  static const Json all = read_toml(fs::path(VESTIGE_SOURCE_DIR) / "tests/reference/papers.toml");
  return all;
}

bool same(const Json& left, const Json& right) {
  if (left.is_number() && right.is_number()) {
    const double a = left.get<double>(), b = right.get<double>();
    return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
  }
  if (left.is_array() && right.is_array() && left.size() == right.size()) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!same(left[i], right[i])) return false;
    }
    return true;
  }
  return left == right;
}

std::vector<Item> recipe_items(const std::string& paper) {
  std::vector<Item> items;
  const Json recipe = paper_size(paper);
  const Json lines = all_papers().at(paper).value("recipe", Json::object());
  for (const auto& [key, entry] : lines.items()) {
    const Json* const found = at(recipe, key);
    items.push_back({"The recipe's paper size", key, read_entry(entry, key),
                     found == nullptr ? Json() : *found, needs_of(paper, key)});
  }
  return items;
}

std::vector<Item> effective_items(const std::string& paper) {
  std::vector<Item> items;
  const Json typed = all_papers().at(paper).value("effective", Json::object());
  if (typed.empty()) return items;
  const experiment::ExperimentPlan plan =
      experiment::read_plan(recipe_path(paper), {.size = "paper", .stand_in = true});
  std::map<std::string, Planned> open;
  for (const auto& [key, entry] : typed.items()) {
    const std::size_t dot = key.rfind('.');
    const std::string name = key.substr(0, dot), what = key.substr(dot + 1);
    const auto found =
        std::find_if(plan.variants.begin(), plan.variants.end(),
                     [&](const experiment::VariantPlan& each) { return each.name == name; });
    require(found != plan.variants.end(), "papers.toml: {}: {} has no variant {}", key, paper,
            name);
    if (open.count(name) == 0) open.emplace(name, plan_of(*found));
    items.push_back({"What the paper size comes to", key, read_entry(entry, key),
                     size_of(open.at(name), what), needs_of(paper, "variants." + name)});
  }
  return items;
}

std::vector<Item> preset_items(const std::string& paper) {
  std::vector<Item> items;
  const Json& tables = all_papers().at(paper);
  const Json trained = tables.value("train", Json::object());
  for (const auto& [name, typed] : trained.items()) {
    const auto& known = train::presets();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& preset) { return preset.name == name; });
    require(found != known.end(), "papers.toml: there is no training preset {}", name);
    add_items(items, "Training presets", typed, name + ".", found->values);
  }
  const Json methods = tables.value("methods", Json::object());
  const std::vector<unlearn::MethodInfo> all = unlearn::methods();
  for (const auto& [method, presets] : methods.items()) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.id == method; });
    require(found != all.end(), "papers.toml: there is no method {}", method);
    for (const auto& [name, typed] : presets.items()) {
      require(found->presets.contains(name), "papers.toml: {} has no preset {}", method, name);
      add_items(items, "Presets of methods", typed, method + "." + name + ".",
                found->presets.at(name));
    }
  }
  return items;
}

}  // namespace vestige::papers
