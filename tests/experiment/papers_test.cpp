// Presets and paper sizes against the papers' own values, which reference/papers.toml holds typed
// by hand: a preset that changes, or one that nobody has looked up, fails here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "vestige/base/options.h"
#include "vestige/experiment/experiment_plan.h"
#include "vestige/train/settings.h"
#include "vestige/unlearn/registry.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

const Json& papers() {
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

/// [value, "where in the paper"]
const Json& value_of(const Json& entry, const std::string& what) {
  EXPECT_TRUE(entry.is_array() && entry.size() == 2 && entry[1].is_string() &&
              !entry[1].get<std::string>().empty())
      << what << " must be [value, \"section, table or figure\"]";
  return entry.at(0);
}

/// Every key of a preset has a line, every line a key, and the values agree.
void compare(const Json& typed, const Json& preset, const std::string& name) {
  for (const auto& [key, entry] : typed.items()) {
    const std::string what = name + "." + key;
    ASSERT_TRUE(preset.contains(key)) << what << " is in papers.toml and not in the preset";
    EXPECT_TRUE(same(value_of(entry, what), preset.at(key)))
        << what << " is " << preset.at(key) << ", the paper has " << entry;
  }
  for (const auto& [key, value] : preset.items()) {
    EXPECT_TRUE(typed.contains(key))
        << name << "." << key << " = " << value << " has no line in papers.toml";
  }
}

TEST(Papers, TrainingPresetsAreThePapers) {
  std::set<std::string> typed;
  for (const auto& [paper, tables] : papers().items()) {
    const Json trained = tables.value("train", Json::object());
    for (const auto& [name, values] : trained.items()) {
      const auto& all = train::presets();
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const auto& preset) { return preset.name == name; });
      ASSERT_NE(found, all.end()) << paper << ": there is no training preset " << name;
      compare(values, found->values, paper + ".train." + name);
      typed.insert(name);
    }
  }
  for (const train::Preset& preset : train::presets()) {
    EXPECT_TRUE(typed.contains(preset.name)) << preset.name << " is not in papers.toml";
  }
}

TEST(Papers, PresetsOfMethodsAreThePapers) {
  std::set<std::string> typed;
  for (const auto& [paper, tables] : papers().items()) {
    const Json chosen = tables.value("methods", Json::object());
    for (const auto& [method, presets] : chosen.items()) {
      for (const auto& [name, values] : presets.items()) {
        const std::vector<unlearn::MethodInfo> all = unlearn::methods();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const auto& info) { return info.id == method; });
        ASSERT_NE(found, all.end()) << paper << ": there is no method " << method;
        ASSERT_TRUE(found->presets.contains(name)) << method << " has no preset " << name;
        compare(values, found->presets.at(name), paper + ".methods." + method + "." + name);
        typed.insert(method + "." + name);
      }
    }
  }
  for (const unlearn::MethodInfo& method : unlearn::methods()) {
    for (const auto& [name, values] : method.presets.items()) {
      // Ours: tuned on Fashion-MNIST, see docs/methods/README.md.
      if (name == "fashion") continue;
      EXPECT_TRUE(typed.contains(method.id + "." + name))
          << method.id << "'s preset " << name << " is not in papers.toml";
    }
  }
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

TEST(Papers, PaperSizesOfRecipesAreThePapers) {
  for (const auto& [paper, tables] : papers().items()) {
    const fs::path path = fs::path(VESTIGE_SOURCE_DIR) / "recipes" / (paper + ".toml");
    Json recipe = read_toml(path);
    const Json sizes = recipe.at("sizes");
    recipe.erase("sizes");
    merge(recipe, sizes.at("paper"));
    const Json typed = tables.value("recipe", Json::object());
    EXPECT_FALSE(typed.empty()) << paper << " has no [" << paper << ".recipe] in papers.toml";
    for (const auto& [key, entry] : typed.items()) {
      const std::string what = paper + ".recipe." + key;
      const Json* found = at(recipe, key);
      ASSERT_NE(found, nullptr) << what << " is not in the paper size";
      EXPECT_TRUE(same(value_of(entry, what), *found))
          << what << " is " << *found << ", the paper has " << entry;
    }
  }
}

TEST(Papers, AllFiveAreThere) {
  for (const char* paper : {"competition", "miau", "sde", "conformal", "iam"}) {
    EXPECT_TRUE(papers().contains(paper)) << paper;
  }
}

}  // namespace
}  // namespace vestige::experiment
