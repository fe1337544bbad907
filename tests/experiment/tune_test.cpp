// Grids: every point once, the best of each method, options that a recipe can use.
#include "vestige/experiment/tune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

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
    list = tune_list(plan.variants[0].recipe, settings);
    points = list.points;
  }
  Json table;
  ExperimentPlan plan;
  TuneSettings settings;
  TuneList list;
  std::vector<TunePoint> points;
};

/// An audit in which point i of the list has the value values[i].
VariantAudit audit_with(const std::vector<TunePoint>& points, const std::vector<double>& values,
                        const std::string& metric = "epsilon.final_score", double retrained = 0.5) {
  VariantAudit audit;
  for (std::size_t index = 0; index < points.size(); ++index) {
    metrics::Row row;
    row.metric = metric;
    row.subject = {"unlearned", points[index].label, ""};
    row.value = values[index];
    row.reference = retrained;
    audit.results.rows.push_back({.variant = {}, .audit = {}, .row = row});
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
  const ExperimentPlan plan = tune_plan(tuning.plan.variants[0], tuning.settings, tuning.points);
  ASSERT_EQ(plan.variants.size(), 1U);
  EXPECT_EQ(plan.variants[0].split_seed, tuning.plan.variants[0].split_seed + 1000);
  EXPECT_EQ(plan.variants[0].recipe.pool.original, 4);
  EXPECT_EQ(plan.variants[0].recipe.table.at("methods").size(), 29U);
}

// Competition paper, A.7.2: "Reuse-N-N" with N = 512, "repeated 10 times for each configuration",
// "the best average final score".
TEST(Tune, RepeatsAreExperimentsOfReuseNN) {
  Tuning tuning;
  tuning.settings.repeats = 10;
  const ExperimentPlan plan = tune_plan(tuning.plan.variants[0], tuning.settings, tuning.points);
  EXPECT_EQ(plan.variants[0].recipe.table.at("unlearn").at("seeds"), 10);
  const Json& options = plan.variants[0].audits.at(0).options;
  EXPECT_EQ(options.at("epsilon.setup"), "reuse-n-n");
  EXPECT_EQ(options.at("epsilon.models"), 4);
  EXPECT_EQ(options.at("epsilon.experiments"), 10);
  // The mean over experiments decides, not the estimate from all runs at once.
  std::vector<double> pooled(29, 0.1), repeated(29, 0.1);
  pooled[3] = repeated[4] = 0.9;
  VariantAudit audit = audit_with(tuning.points, pooled);
  for (study::StudyRow row : audit_with(tuning.points, repeated).results.rows) {
    row.row.settings["setup"] = "reuse-n-n";
    audit.results.rows.push_back(std::move(row));
  }
  const TuneResult judged = judge_points(tuning.points, tuning.settings, {audit});
  EXPECT_FALSE(judged.points[3].best);
  EXPECT_TRUE(judged.points[4].best);
}

TEST(Tune, BestOfEachMethodAndTheFirstOfEquals) {
  const Tuning tuning;
  std::vector<double> values(29, 0.1);
  values[4] = values[7] = 0.9;
  values[5] = std::nan("");
  values[28] = 0.2;
  const auto judged =
      judge_points(tuning.points, tuning.settings, {audit_with(tuning.points, values)}).points;
  std::vector<std::size_t> best;
  for (std::size_t index = 0; index < judged.size(); ++index) {
    if (judged[index].best) best.push_back(index);
  }
  EXPECT_EQ(best, (std::vector<std::size_t>{4, 28}));
  const Json methods = tuned_methods(tuning.list.methods, judged);
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
  EXPECT_THROW((void)tune_list(plan.variants[0].recipe, read_tune(plan.tune, "test.toml")),
               InputError);
  EXPECT_THROW((void)read_tune(Json::object(), "test.toml"), InputError);
  EXPECT_THROW((void)read_tune({{"metric", "epsilom"}, {"grid", {{"a", {{"b", {1}}}}}}}, "x"),
               InputError);
}

std::vector<std::size_t> winners(const TuneResult& result) {
  std::vector<std::size_t> best;
  for (std::size_t index = 0; index < result.points.size(); ++index) {
    if (result.points[index].best) best.push_back(index);
  }
  return best;
}

/// Two points of finetune, judged by any metric.
struct TwoPoints {
  explicit TwoPoints(const std::string& metric, const std::string& more = "") {
    const Json table =
        parse_toml("methods = ['finetune']\npool = {shadow = 2}\n[tune]\nmetric = '" + metric +
                       "'\n" + more + "[tune.grid.finetune]\nrate = [0.1, 0.2]\n",
                   "test.toml");
    plan = make_plan(table, "test.toml", {});
    settings = read_tune(plan.tune, "test.toml");
    list = tune_list(plan.variants[0].recipe, settings);
  }
  std::size_t winner(const std::vector<double>& values, double retrained = 0.5) const {
    const TuneResult result = judge_points(
        list.points, settings, {audit_with(list.points, values, settings.metric, retrained)});
    return winners(result).at(0);
  }
  ExperimentPlan plan;
  TuneSettings settings;
  TuneList list;
};

// Forget accuracy should be that of a retrained model: neither the largest nor the smallest wins.
TEST(Tune, EveryMetricWinsInItsOwnDirection) {
  const TwoPoints forget("utility.accuracy.forget");
  EXPECT_EQ(forget.winner({0.99, 0.86}, 0.88), 1u);
  EXPECT_EQ(forget.winner({0.90, 0.20}, 0.88), 0u);
  EXPECT_EQ(TwoPoints("utility.gap.forget").winner({0.1, 0.2}), 0u);
  EXPECT_EQ(TwoPoints("utility.accuracy.test").winner({0.1, 0.2}), 1u);
  EXPECT_EQ(TwoPoints("iam.online.auc").winner({0.50, 0.62}, 0.64), 1u);
  // A recipe may say otherwise.
  EXPECT_EQ(TwoPoints("utility.accuracy.forget", "goal = 'lower'\n").winner({0.9, 0.2}, 0.88), 1u);
  EXPECT_THROW(TwoPoints("utility.accuracy.forget", "goal = 'best'\n"), InputError);
}

TEST(Tune, KeepsTheModelsThatItsMetricNeeds) {
  const TwoPoints iam("iam.online.auc");
  EXPECT_EQ(iam.settings.models, 2);  // needs no pools
  const ExperimentPlan with = tune_plan(iam.plan.variants[0], iam.settings, iam.list.points);
  EXPECT_EQ(with.variants[0].recipe.pool.shadow, 2);
  const TwoPoints gap("utility.gap.forget");
  const ExperimentPlan bare = tune_plan(gap.plan.variants[0], gap.settings, gap.list.points);
  EXPECT_EQ(bare.variants[0].recipe.pool.shadow, 0);
  EXPECT_EQ(bare.variants[0].recipe.pool.original, 2);
}

TEST(Tune, AFailedCriterionChoosesNobody) {
  const TwoPoints tuning("iam.online.bce");
  VariantAudit audit = audit_with(tuning.list.points, {0.2, 0.3}, "iam.online.bce");
  for (study::StudyRow& row : audit.results.rows) row.row.status = metrics::Status::unreliable;
  const TuneResult result = judge_points(tuning.list.points, tuning.settings, {audit});
  EXPECT_FALSE(result.controls.empty());
  EXPECT_TRUE(winners(result).empty());
  EXPECT_NE(tune_text(result, tuning.list, tuning.settings).find("no point is chosen"),
            std::string::npos);
}

TEST(Tune, PointsWithFailedRunsDoNotWin) {
  const TwoPoints tuning("utility.gap.forget");
  const TuneResult result =
      judge_points(tuning.list.points, tuning.settings,
                   {audit_with(tuning.list.points, {0.1, 0.2}, "utility.gap.forget")},
                   {{"main", tuning.list.points[0].label, 4, 1,
                     result::reason(result::Code::message, "a weight is not finite")}});
  EXPECT_EQ(winners(result), std::vector<std::size_t>{1});
  EXPECT_NE(tune_text(result, tuning.list, tuning.settings).find("1 of 4 runs failed"),
            std::string::npos);
}

TEST(Tune, AllMethodsHaveEqualBudgets) {
  const Json table = parse_toml(
      "methods = ['identity']\nforget = {kind = 'random', count = 3}\nsplit = {validation = 10}\n"
      "model = {name = 'small_cnn'}\n[tune]\nall = true\npoints = 4\n",
      "test.toml");
  const ExperimentPlan plan = make_plan(table, "test.toml", {});
  const TuneSettings settings = read_tune(plan.tune, "test.toml");
  const TuneList list = tune_list(plan.variants[0].recipe, settings);
  std::map<std::string, int> counts;
  for (const TunePoint& point : list.points) ++counts[point.method];
  EXPECT_EQ(counts.size() + list.left_out.size(), 30u);
  EXPECT_EQ(list.left_out.size(), 4u);  // two of class forgetting, a training log, a denoiser
  for (const auto& [method, count] : counts) EXPECT_EQ(count, 4) << method;
  EXPECT_NE(tune_plan_text(list, settings).find("boundary_shrink        left out"),
            std::string::npos)
      << tune_plan_text(list, settings);
}

}  // namespace
}  // namespace vestige::experiment
