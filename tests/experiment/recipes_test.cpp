// The recipes that come with the program: every size can be read and planned, also where the data
// is not at hand. A made-up set stands in for it then.
#include <gtest/gtest.h>

#include <filesystem>

#include "vestige/base/options.h"
#include "vestige/collect/collect.h"
#include "vestige/experiment/experiment_plan.h"
#include "vestige/study/paper_checks.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

/// As many rows as the largest of the papers' sets, in pictures of 4 pixels, with subclasses.
const Json kStandIn = {
    {"name", "synthetic"}, {"rows", 60000}, {"test_rows", 10000},        {"classes", 10},
    {"height", 2},         {"width", 2},    {"subclasses_per_class", 10}};

class RecipesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RecipesTest, EverySizeCanBePlanned) {
  const fs::path path = fs::path(VESTIGE_SOURCE_DIR) / "recipes" / (GetParam() + ".toml");
  const Json table = read_toml(path);
  std::vector<std::string> sizes = {"smoke"};
  const Json others = table.value("sizes", Json::object());
  for (const auto& [size, ignored] : others.items()) sizes.push_back(size);
  for (const std::string& size : sizes) {
    SCOPED_TRACE(size);
    const ExperimentPlan plan = read_plan(path, {.size = size});
    study::StudyNames names{plan.arm_names(), plan.audit_names(), {}, {}};
    study::check_findings(study::read_checks(plan.checks, path.string()), names);
    for (const ArmPlan& arm : plan.arms) {
      SCOPED_TRACE(arm.name);
      EXPECT_NO_THROW((void)unlearn::chosen_methods(arm.recipe, {}));
      EXPECT_NO_THROW((void)collect::read_collect(arm.recipe));
      Json own = arm.recipe.table;
      // Faces have names, tables and writers have not: no stand-in for those.
      if (own.value("forget", Json::object()).value("kind", "") == "subject") continue;
      own["data"] = kStandIn;
      // Sets that replace others inside an arm.
      if (own.contains("dynamic")) own["dynamic"].erase("data");
      if (own.contains("shadow")) own["shadow"].erase("data");
      EXPECT_NO_THROW({
        const auto lab = train::open_lab(train::make_recipe(own, path), "cpu");
        EXPECT_FALSE(train::plan(*lab).empty());
        EXPECT_FALSE(lab->split.part("forget").empty());
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecipesTest,
                         ::testing::Values("competition", "conformal", "demo", "fashion-methods",
                                           "fashion-small", "iam", "miau", "sde"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& letter : name) {
                             if (letter == '-') letter = '_';
                           }
                           return name;
                         });

// Whoever adds a recipe adds it above.
TEST(Recipes, AllAreTested) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(VESTIGE_SOURCE_DIR) / "recipes")) {
    if (entry.path().extension() == ".toml") ++count;
  }
  EXPECT_EQ(count, 8U);
}

}  // namespace
}  // namespace vestige::experiment
