// The gap to unseen examples, by hand: the mean on the forget set minus that on unseen examples.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/metrics/support/measured.h"
#include "vestige/metrics/holdout_gap/holdout_gap_family.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/words/words.h"

namespace vestige::metrics {
namespace {

using Probabilities = std::vector<double>;

/// Of class 0: mean 0.75 and 0.5, squared deviations 2 * (0.15^2 + 0.05^2) = 0.05 in both.
const Probabilities kForgetP = {0.9, 0.8, 0.7, 0.6}, kUnseenP = {0.65, 0.55, 0.45, 0.35};
/// Welch's standard error of the gap: sqrt(2 * (0.05 / 3) / 4), with 6 degrees of freedom; and
/// Student's t at 97.5 %, from printed tables.
const double kGapError = std::sqrt(0.025 / 3);
constexpr double kT6 = 2.446911851, kT3 = 3.182446305;

evidence::Model gap_model(const std::string& role, const std::string& name,
                          const Probabilities& forget, const Probabilities& test) {
  const auto outputs = [](const Probabilities& of_class_0) {
    std::vector<double> values;
    for (const double p : of_class_0) values.insert(values.end(), {p, 1 - p});
    return evidence::Array::from_doubles(std::move(values), {of_class_0.size(), 2});
  };
  evidence::Model model;
  model.role = role;
  model.method = role == "unlearned" ? "method" : "";
  model.name = name;
  if (!forget.empty()) model.outputs["forget"] = outputs(forget);
  if (!test.empty()) model.outputs["test"] = outputs(test);
  return model;
}

/// All of class 0, as many labels as the first model has examples.
evidence::Evidence gap_evidence(std::vector<evidence::Group> groups) {
  evidence::Evidence evidence;
  evidence.kind = evidence::OutputKind::probabilities;
  evidence.classes = 2;
  for (const auto& [split, outputs] : groups.front().models.front().outputs) {
    evidence.labels[split].assign(outputs.rows(), 0);
  }
  evidence.groups = std::move(groups);
  return evidence;
}

evidence::Evidence one_model(const Probabilities& forget, const Probabilities& test) {
  return gap_evidence({{"original", "", {gap_model("original", "0", forget, test)}}});
}

Measurements gap_of(const evidence::Evidence& evidence, std::size_t group = 0,
                    Control control = Control::none) {
  Comparison comparison;
  comparison.evidence = &evidence;
  for (const evidence::Model& model : evidence.groups.at(group).models) {
    comparison.candidate.push_back(&model);
  }
  for (const evidence::Model& model : evidence.groups.front().models) {
    if (model.role == "original") comparison.original.push_back(&model);
  }
  comparison.control = control;
  return measured(holdout_gap_family(), comparison);
}

const Row* gap_row(const Measurements& all, std::string_view id) {
  for (const Row& row : all.rows) {
    if (row.metric == id) return &row;
  }
  return nullptr;
}

TEST(HoldoutGap, GapAndIntervalByHand) {
  const Measurements seen = gap_of(one_model(kForgetP, kUnseenP));
  const Row& gap = *gap_row(seen, "holdout_gap.probability");
  EXPECT_NEAR(gap.value, 0.25, 1e-12);
  EXPECT_NEAR(gap.lower, 0.25 - kT6 * kGapError, 1e-9);
  EXPECT_NEAR(gap.upper, 0.25 + kT6 * kGapError, 1e-9);
  EXPECT_EQ(gap.n, 4U);
  EXPECT_NEAR(gap.facts.at("target").get<double>(), 0.75, 1e-12);
  EXPECT_NEAR(gap.facts.at("unseen").get<double>(), 0.5, 1e-12);
  EXPECT_EQ(gap.facts.at("unseen_rows"), 4);
  EXPECT_EQ(gap.facts.at("forgotten"), "rows");
  ASSERT_NE(gap.contrast, nullptr);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(gap.contrast->target[i], kForgetP[i], 1e-12);
    EXPECT_NEAR(gap.contrast->unseen[i], kUnseenP[i], 1e-12);
  }
  EXPECT_TRUE(std::isnan(gap.contrast->interaction)) << "one model";
}

// Right: 4 of 4 minus 2 of 4. Only unseen examples vary, with variance 1/3: error sqrt(1/12), 3
// degrees of freedom. Log-odds: those of 0.65 and 0.35, of 0.55 and 0.45 cancel; the others are
// ln 9, ln 4, ln 7/3 and ln 3/2, together ln 126.
TEST(HoldoutGap, AccuracyAndLogOddsByHand) {
  const Measurements seen = gap_of(one_model(kForgetP, kUnseenP));
  const Row& right = *gap_row(seen, "holdout_gap.right");
  EXPECT_NEAR(right.value, 0.5, 1e-12);
  EXPECT_NEAR(right.upper, 0.5 + kT3 * std::sqrt(1.0 / 12), 1e-8);
  EXPECT_NEAR(gap_row(seen, "holdout_gap.log_odds")->value, std::log(126.0) / 4, 1e-12);
  EXPECT_EQ(gap_row(seen, "holdout_gap.loss"), nullptr);
}

// Log-odds stop at 8 nats, where one model is certain: (8 + 8) / 2 - (-8 + 0) / 2.
TEST(HoldoutGap, LogOddsAreCut) {
  const Measurements seen = gap_of(one_model({1, 1 - 1e-9}, {0, 0.5}));
  EXPECT_NEAR(gap_row(seen, "holdout_gap.log_odds")->value, 12, 1e-12);
}

/// The second model is 0.05 surer of forgotten and as much less sure of unseen examples: its gap is
/// 0.35. Models and examples do not interact, so that the interval is as wide as for one model.
evidence::Evidence two_models() {
  Probabilities forget = kForgetP, unseen = kUnseenP;
  for (double& p : forget) p += 0.05;
  for (double& p : unseen) p -= 0.05;
  return gap_evidence({{"unlearned",
                        "method",
                        {gap_model("unlearned", "0", kForgetP, kUnseenP),
                         gap_model("unlearned", "1", forget, unseen)}},
                       {"retrained", "", {gap_model("retrained", "0", kUnseenP, kUnseenP)}}});
}

TEST(HoldoutGap, SeveralModelsAreAveraged) {
  const Measurements seen = gap_of(two_models());
  const Row& gap = *gap_row(seen, "holdout_gap.probability");
  EXPECT_NEAR(gap.value, 0.30, 1e-12);
  EXPECT_NEAR(gap.upper - gap.lower, 2 * kT6 * kGapError, 1e-9);
  ASSERT_EQ(gap.by_model.size(), 2U);
  EXPECT_NEAR(gap.by_model[0], 0.25, 1e-12);
  EXPECT_NEAR(gap.by_model[1], 0.35, 1e-12);
  EXPECT_NEAR(gap.contrast->interaction, 0, 1e-15);
  EXPECT_EQ(gap.n, 4U) << "examples, not models";
}

// What verdicts use: 0.30 - 0, paired by example. Examples move alike, so that the error comes from
// models alone: variance 0.005 of two gaps, moderated to 1 of 3 degrees of freedom, over 2 models
// and 1 model: 0.005 / 3 * (1/2 + 1) = 0.05^2.
TEST(HoldoutGap, ContrastsGiveTheDifferenceToRetrainedModels) {
  const evidence::Evidence evidence = two_models();
  const Measurements ours = gap_of(evidence, 0), theirs = gap_of(evidence, 1);
  const Row& retrained = *gap_row(theirs, "holdout_gap.probability");
  EXPECT_NEAR(retrained.value, 0, 1e-12);
  const Gap difference =
      gap_difference(*gap_row(ours, "holdout_gap.probability")->contrast, *retrained.contrast);
  EXPECT_NEAR(difference.estimate, 0.30, 1e-12);
  EXPECT_NEAR(difference.error, 0.05, 1e-12);
  EXPECT_NEAR(difference.degrees, 3, 1e-9);
}

// Each answer is 0.25 from the original's; total variation of two classes is |p - q|.
TEST(HoldoutGap, DistanceMovedFromTheOriginal) {
  const evidence::Evidence evidence =
      gap_evidence({{"original", "", {gap_model("original", "0", kForgetP, kUnseenP)}},
                    {"unlearned", "method", {gap_model("unlearned", "0", kUnseenP, kUnseenP)}}});
  EXPECT_NEAR(gap_row(gap_of(evidence, 1), "holdout_gap.moved")->value, 0.25, 1e-12);
  EXPECT_EQ(gap_row(gap_of(evidence, 0, Control::original), "holdout_gap.moved"), nullptr);
}

// Class 0 was forgotten: its test examples count as forgotten too, those of class 1 are unseen.
// (0.9 + 0.7 + 0.8 + 0.6) / 4 - (0.6 + 0.8) / 2 = 0.05.
TEST(HoldoutGap, TestExamplesOfAForgottenClassAreForgotten) {
  evidence::Evidence evidence = one_model({0.9, 0.7}, {0.8, 0.6, 0.4, 0.2});
  evidence.labels["test"] = {0, 0, 1, 1};
  evidence.labels["retain"] = {1, 1};
  const Measurements seen = gap_of(evidence);
  const Row& gap = *gap_row(seen, "holdout_gap.probability");
  EXPECT_NEAR(gap.value, 0.05, 1e-12);
  EXPECT_EQ(gap.n, 4U);
  EXPECT_EQ(gap.facts.at("unseen_rows"), 2);
  EXPECT_EQ(gap.facts.at("forgotten"), "classes");
  EXPECT_NE(gap.contrast, nullptr);
  EXPECT_EQ(gap_row(seen, "holdout_gap.log_odds")->contrast, nullptr) << "no verdict rests on it";
}

// Losses alone: (4 + 6) / 2 - (1 + 3) / 2, unseen minus forgotten.
TEST(HoldoutGap, LossesWhereModelsShowNothingElse) {
  evidence::Evidence evidence = one_model({}, {});
  auto& losses = evidence.groups[0].models[0].losses;
  losses["forget"] = evidence::Array::from_doubles({1, 3}, {2});
  losses["test"] = evidence::Array::from_doubles({4, 6}, {2});
  EXPECT_TRUE(holdout_gap_family().support(evidence).supported);
  EXPECT_NEAR(gap_row(gap_of(evidence), "holdout_gap.loss")->value, 3, 1e-12);
}

TEST(HoldoutGap, NeedsTheTestSplit) {
  const Support support = holdout_gap_family().support(one_model(kForgetP, {}));
  EXPECT_FALSE(support.supported);
  EXPECT_NE(words::text(support.reason).find("test.npy"), std::string::npos);
  // One model of two without it: the group has no gap rather than that of the other model.
  evidence::Evidence evidence = two_models();
  evidence.groups[0].models[1].outputs.erase("test");
  EXPECT_EQ(gap_row(gap_of(evidence), "holdout_gap.probability"), nullptr);
}

TEST(HoldoutGap, OneExampleHasNoGap) {
  for (const evidence::Evidence& evidence :
       {one_model({0.9}, kUnseenP), one_model(kForgetP, {0.5})}) {
    EXPECT_FALSE(holdout_gap_family().support(evidence).supported);
    EXPECT_EQ(gap_row(gap_of(evidence), "holdout_gap.probability"), nullptr);
  }
}

TEST(HoldoutGap, NanStaysNan) {
  const Measurements seen = gap_of(one_model({0.9, kUndefined, 0.7, 0.6}, kUnseenP));
  const Row& gap = *gap_row(seen, "holdout_gap.probability");
  EXPECT_TRUE(std::isnan(gap.value));
  EXPECT_TRUE(std::isnan(gap.lower));
  EXPECT_TRUE(gap.interval.empty());
}

// A constant predictor has no gap and no error over examples, so no interval. Two examples each:
// their mean is exact.
TEST(HoldoutGap, ConstantOutputs) {
  const Measurements seen = gap_of(one_model({0.7, 0.7}, {0.7, 0.7}));
  for (const char* id : {"holdout_gap.probability", "holdout_gap.right", "holdout_gap.log_odds"}) {
    const Row& gap = *gap_row(seen, id);
    EXPECT_EQ(gap.value, 0) << id;
    EXPECT_TRUE(std::isnan(gap.lower)) << id;
    EXPECT_TRUE(gap.interval.empty()) << id;
    EXPECT_NE(gap.contrast, nullptr) << id;
  }
}

}  // namespace
}  // namespace vestige::metrics
