// Grids: every point once, the best of each method, options that a recipe can use.
#include "vestige/experiment/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/options.h"

namespace vestige::experiment {
namespace {

constexpr const char* kRecipe = R"(
methods = ["finetune", { name = "scrub", epochs = 2 }, "identity"]
[tune]
models = 4
[tune.grid.finetune]
rate = [0.1, 0.2, 0.3]
epochs = [1, 2, 3]
batch = [16, 32, 64]
[tune.grid.scrub]
rate = [0.5, 0.6]
)";

struct Tuning {
  Tuning() : table(parse_toml(kRecipe, "test.toml")) {
    plan = make_plan(table, "test.toml", {});
    settings = read_tune(plan.tune, "test.toml");
    points = tune_points(plan.arms[0].recipe, settings);
  }
  Json table;
  ExperimentPlan plan;
  TuneSettings settings;
  std::vector<TunePoint> points;
};

/// An audit in which point i of the list has the value values[i].
ArmAudit audit_with(const std::vector<TunePoint>& points, const std::vector<double>& values) {
  ArmAudit audit;
  for (std::size_t index = 0; index < points.size(); ++index) {
    metrics::Row row;
    row.metric = "epsilon.final_score";
    row.subject = {"unlearned", points[index].label, ""};
    row.value = values[index];
    audit.results.rows.push_back({.arm = {}, .audit = {}, .row = row});
  }
  return audit;
}

TEST(Tune, ThreeByThreeByThree) {
  const Tuning tuning;
  ASSERT_EQ(tuning.points.size(), 27U + 2U);
  EXPECT_EQ(tuning.points[0].options.at("rate"), 0.1);
  EXPECT_EQ(tuning.points[0].options.at("batch"), 16);
  // Options in the order of their names, the last running fastest.
  EXPECT_EQ(tuning.points[1].options.at("rate"), 0.2);
  EXPECT_EQ(tuning.points[26].options.at("epochs"), 3);
  EXPECT_EQ(tuning.points[27].entry.at("epochs"), 2);  // what the recipe set stays
}

TEST(Tune, RunsOnASplitOfItsOwn) {
  const Tuning tuning;
  const ExperimentPlan plan = tune_plan(tuning.plan.arms[0], tuning.settings, tuning.points);
  ASSERT_EQ(plan.arms.size(), 1U);
  EXPECT_EQ(plan.arms[0].split_seed, tuning.plan.arms[0].split_seed + 1000);
  EXPECT_EQ(plan.arms[0].recipe.pool.original, 4);
  EXPECT_EQ(plan.arms[0].recipe.table.at("methods").size(), 29U);
}

TEST(Tune, BestOfEachMethodAndTheFirstOfEquals) {
  const Tuning tuning;
  std::vector<double> values(29, 0.1);
  values[4] = values[7] = 0.9;
  values[5] = std::nan("");
  values[28] = 0.2;
  const auto judged =
      judge_points(tuning.points, tuning.settings, {audit_with(tuning.points, values)});
  std::vector<std::size_t> best;
  for (std::size_t index = 0; index < judged.size(); ++index) {
    if (judged[index].best) best.push_back(index);
  }
  EXPECT_EQ(best, (std::vector<std::size_t>{4, 28}));
  const Json methods = tuned_methods(tuning.plan.arms[0].recipe, judged);
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(methods[0].at("label"), "finetune");
  EXPECT_EQ(methods[0].at("rate"), tuning.points[4].options.at("rate"));
  EXPECT_EQ(methods[1].at("rate"), 0.6);
  EXPECT_EQ(methods[2], "identity");
}

TEST(Tune, RefusesGridsWithoutAMethod) {
  Json table = parse_toml(kRecipe, "test.toml");
  table["tune"]["grid"]["finetun"] = {{"rate", {0.1}}};
  const ExperimentPlan plan = make_plan(table, "test.toml", {});
  EXPECT_THROW((void)tune_points(plan.arms[0].recipe, read_tune(plan.tune, "test.toml")),
               InputError);
  EXPECT_THROW((void)read_tune(Json::object(), "test.toml"), InputError);
  EXPECT_THROW((void)read_tune({{"metric", "epsilom"}, {"grid", {{"a", {{"b", {1}}}}}}}, "x"),
               InputError);
}

}  // namespace
}  // namespace vestige::experiment
