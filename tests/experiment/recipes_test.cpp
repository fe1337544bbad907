// The recipes that come with the program: every size can be read and planned, also where the data
// is not at hand. A synthetic set stands in for it then.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>

#include "vestige/base/options.h"
#include "vestige/collect/collect.h"
#include "vestige/experiment/checks.h"
#include "vestige/experiment/experiment_plan.h"
#include "vestige/language/recipe.h"
#include "vestige/language/registry.h"
#include "vestige/study/paper_checks.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

/// The recipe with its stand-ins' pictures of 2 x 2 points: planning needs rows, not pictures.
train::Recipe small_pictures(const train::Recipe& recipe) {
  Json table = recipe.table;
  const auto shrink = [](Json& holder) {
    if (!holder.contains("data") || holder["data"].value("name", "") != "synthetic") return;
    Json& data = holder["data"];
    if (data.contains("columns")) data["columns"] = 4;
    if (data.contains("height")) data["height"] = data["width"] = 2;
    if (data.contains("channels")) data["channels"] = 1;
  };
  shrink(table);
  for (const char* borrower : {"shadow", "dynamic"}) {
    if (table.contains(borrower)) shrink(table[borrower]);
  }
  return train::make_recipe(table, recipe.path);
}

class RecipesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RecipesTest, EverySizeCanBePlanned) {
  const fs::path path = fs::path(VESTIGE_SOURCE_DIR) / "recipes" / (GetParam() + ".toml");
  const Json table = read_toml(path);
  std::vector<std::string> sizes = {"smoke"};
  const Json others = table.value("sizes", Json::object());
  for (const auto& [size, ignored] : others.items()) sizes.push_back(size);
  for (const std::string& size : sizes) {
    SCOPED_TRACE(size);
    const ExperimentPlan plan = read_plan(path, {.size = size, .stand_in = true});
    study::check_findings(study::read_checks(plan.checks, path.string()), study_names(plan));
    // Labs with the same data share it as long as one of them lives.
    std::map<std::string, std::shared_ptr<const train::Lab>> kept;
    for (const VariantPlan& variant : plan.variants) {
      SCOPED_TRACE(variant.name);
      EXPECT_NO_THROW((void)collect::read_collect(variant.recipe));
      EXPECT_NO_THROW({
        const auto lab = train::open_lab(small_pictures(variant.recipe), "cpu");
        const bool own = lab->recipe.dynamic.rows > 0 || !lab->recipe.shadow.data.is_null();
        if (!own) kept.try_emplace(lab->recipe.section("data").all().dump(), lab);
        EXPECT_FALSE(train::plan(*lab).empty());
        EXPECT_FALSE(lab->split.part("forget").empty());
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecipesTest,
                         ::testing::Values("competition", "conformal", "demo", "diffusion",
                                           "fashion-methods", "fashion-small", "iam", "miau",
                                           "peers", "returns", "sde"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& letter : name) {
                             if (letter == '-') letter = '_';
                           }
                           return name;
                         });

// Recipes of language models have a reader of their own; opening them would read their texts.
TEST(Recipes, LanguageCanBePlanned) {
  const fs::path path = fs::path(VESTIGE_SOURCE_DIR) / "recipes/language.toml";
  for (const char* size : {"smoke", "gpu"}) {
    const language::Plan plan = language::make_plan(read_toml(path), path, {.size = size});
    EXPECT_EQ(plan.variants.size(), 3U);
    study::StudyNames names{.variants = {"articles", "lives", "tuned shadow"}, .audits = {"main"}};
    for (const language::Recipe& variant : plan.variants) {
      for (const language::MethodSettings& method : variant.methods) {
        EXPECT_NO_THROW((void)language::options_in_force(method, path.string()));
      }
    }
    study::check_findings(study::read_checks(plan.checks, path.string()), names);
  }
}

TEST(Recipes, ReturnsToLanguageModelsCanBePlanned) {
  const fs::path path = fs::path(VESTIGE_SOURCE_DIR) / "recipes/returns-language.toml";
  const language::Plan plan = language::make_plan(read_toml(path), path, {.size = "smoke"});
  ASSERT_EQ(plan.variants.size(), 1U);
  EXPECT_EQ(plan.variants.front().probes.size(), 6U);
  for (const language::MethodSettings& method : plan.variants.front().methods) {
    EXPECT_NO_THROW((void)language::options_in_force(method, path.string()));
  }
  study::check_findings(study::read_checks(plan.checks, path.string()),
                        {.variants = {"main"}, .audits = {"main"}});
}

// Whoever adds a recipe adds it above.
TEST(Recipes, AllAreTested) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(VESTIGE_SOURCE_DIR) / "recipes")) {
    if (entry.path().extension() == ".toml") ++count;
  }
  EXPECT_EQ(count, 13U);
}

}  // namespace
}  // namespace vestige::experiment
