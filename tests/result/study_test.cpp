// Results of an experiment as JSON and back.
#include <gtest/gtest.h>

#include "vestige/result/codec.h"
#include "vestige/result/study_experiment.h"

namespace vestige::result {
namespace {

Experiment example() {
  Experiment made{.recipe = "demo", .size = "small", .notes = "a note", .shown = "main-1"};
  made.variants = {{.name = "main",
                    .split_seed = 7,
                    .factors = {{"forget", 0.1}},
                    .recipe = {{"seed", 7}},
                    .split = "ab12",
                    .models = {{"original", 3}},
                    .methods = 2,
                    .runs = 6}};
  made.costs = {{.method = "finetune", .seconds = 2, .steps = 30, .samples = 400, .n = 3}};
  made.histories = {{.variant = "main",
                     .model = "original",
                     .parts = {{"train", {.accuracy = {0.5, 0.75}, .loss = {2, 1}}}}}};
  Study& study = made.study;
  const Measure measure{"iam.online.auc", "score=\"gumbel\";", "main"};
  for (const auto& [outcome, word] : Names<CheckOutcome>::list) {
    study.findings.push_back({.finding = std::string(word),
                              .outcome = outcome,
                              .reasons = {reason(Code::metric_failed_its_controls, "miau.score")},
                              .estimate = {0.3, 0.2, 0.4},
                              .n = 6,
                              .how = reason(Code::t_over_pairs_of_models, 6)});
  }
  study.results = {{.measure = measure,
                    .variant = "main",
                    .method = "finetune",
                    .role = Control::graded,
                    .n = 3,
                    .value = {0.25, 0.125, 0.5},
                    .interval = Code::t_over_blocks}};
  for (const auto& [verdict, word] : Names<ControlVerdict>::list) {
    study.controls.push_back({.measure = measure,
                              .variant = std::string(word),
                              .retrained = {.value = 0.5},
                              .verdict = verdict,
                              .reason = Code::audits_discriminate});
  }
  study.controls[0].graded = {.values = {{.name = "partial/25", .removed = 25, .n = 3}},
                              .steps = {{.from = "original", .to = "partial/25", .n = 3}},
                              .in_order = false,
                              .replicates = 3};
  study.failed = {reason(Code::failed_controls_in_variant, "miau.score", "main",
                         Reason(Code::not_meant_to_discriminate))};
  study.failed_runs = {{"main", "scrub", 6, 2, reason(Code::message, "a weight is not finite")}};
  study.comparison = {.tests = 1,
                      .metrics = {{.measure = measure,
                                   .variants = {"main"},
                                   .methods = {{.method = "finetune", .rank = {.value = 1}}},
                                   .pairs = {{.left = "finetune", .right = "scrub", .t = 2}},
                                   .reasons = {reason(Code::first_in_only_block, "finetune")}}},
                      .agreement = {{.left = measure, .right = measure, .tau = 1}}};
  VarianceRow noise{.measure = measure, .variant = "main", .method = "*", .n = 4};
  for (const auto& [level, word] : Names<Level>::list) {
    noise.levels.push_back({.level = level, .includes = {level}});
  }
  noise.noisiest = Level::training;
  noise.source = Code::no_noise;
  study.variance = {noise};
  return made;
}

TEST(Study, IsTheSameAfterJson) {
  const Json json = json_of(example());
  const Experiment back = from_json<Experiment>(json);
  EXPECT_EQ(json_of(back), json);
  EXPECT_EQ(back.study.results[0].measure, example().study.results[0].measure);
  EXPECT_EQ(back.study.results[0].role, Control::graded);
  EXPECT_EQ(back.study.findings[1].outcome, CheckOutcome::did_not_hold);
  EXPECT_EQ(back.study.findings[1].reasons, example().study.findings[1].reasons);
  EXPECT_EQ(back.study.controls[0].graded.in_order, false);
  EXPECT_FALSE(back.study.controls[1].graded.in_order.has_value());
  EXPECT_EQ(back.study.variance[0].levels[3].includes, std::vector<Level>{Level::unlearning});
}

// The keys that readers of results.json know: measures and estimates stand in their entries.
TEST(Study, MeasuresAndEstimatesStandInTheirEntries) {
  const Json json = json_of(example());
  const Json& mean = json.at("methods").at(0);
  EXPECT_EQ(mean.at("metric"), "iam.online.auc");
  EXPECT_EQ(mean.at("lower"), 0.125);
  EXPECT_FALSE(mean.contains("measure"));
  EXPECT_FALSE(mean.contains(""));
  EXPECT_EQ(json.at("findings").at(0).at("upper"), 0.4);
  EXPECT_EQ(json.at("controls").at(2).at("verdict"), "not testable");
  EXPECT_TRUE(json.at("controls").at(2).at("graded").at("in_order").is_null());
  EXPECT_EQ(json.at("comparison").at("agreement").at(0).at("left").at("audit"), "main");
}

TEST(Study, LabelsNameSettingAndAudit) {
  const Measure measure{"conformal.coverage", "alpha=0.05;rule=\"scp\";", "main"};
  EXPECT_EQ(label(measure), "conformal.coverage (alpha=0.05, rule=scp)");
  EXPECT_EQ(label(measure, true), "conformal.coverage (alpha=0.05, rule=scp), audit main");
}

}  // namespace
}  // namespace vestige::result
