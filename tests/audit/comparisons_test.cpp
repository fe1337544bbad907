// Who is compared with whom, and how much that can prove.
#include "vestige/audit/comparisons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/small_evidence.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using metrics::Comparison;
using metrics::Control;
using metrics::Models;
using metrics::Unit;
using testing::small_evidence;
using testing::small_group;

std::string names(const Models& models) {
  std::string text;
  for (const evidence::Model* model : models) text += model->id() + " ";
  return text;
}

std::vector<std::string> labels(const std::vector<Comparison>& list) {
  std::vector<std::string> text;
  for (const Comparison& comparison : list) {
    text.push_back(fmt::format("{} {}{}", comparison.subject.id(), name(comparison.control),
                               comparison.halves ? " halves" : ""));
  }
  return text;
}

TEST(Comparisons, OfSingleModels) {
  const Evidence evidence =
      small_evidence({small_group("original", "", 1), small_group("retrained", "", 2),
                      small_group("unlearned", "ft", 2), small_group("partial", "25", 1)});
  const Group constant = constant_group(evidence);
  const auto list = comparisons(evidence, constant, Unit::model);
  EXPECT_EQ(labels(list),
            (std::vector<std::string>{"unlearned/ft/0 ", "unlearned/ft/1 ", "partial/25/0 graded",
                                      "original/0 original", "retrained/0 retrained",
                                      "retrained/1 retrained", "constant_predictor/0 constant"}));
  EXPECT_EQ(list[0].short_name, "ft.0");
  EXPECT_EQ(list[3].short_name, "original");
  EXPECT_EQ(names(list[0].retrained), "retrained/0 retrained/1 ");
  // A retrained model is compared with the others only.
  EXPECT_EQ(names(list[4].retrained), "retrained/1 ");
  EXPECT_EQ(names(list[5].retrained), "retrained/0 ");
  EXPECT_EQ(list[0].evidence, &evidence);
}

TEST(Comparisons, CheckpointsOnlyWhereAFamilyAsksForThem) {
  Evidence evidence = small_evidence(
      {small_group("original", "", 1), small_group("checkpoint", "graded.0.5", 1),
       small_group("checkpoint", "original.0.5", 1), small_group("membership", "", 4)});
  evidence.membership["graded.0.5"] = 0.5;
  const Group constant = constant_group(evidence);
  EXPECT_EQ(labels(comparisons(evidence, constant, Unit::model)),
            (std::vector<std::string>{"original/0 original", "constant_predictor/0 constant"}));
  // Those with a declared membership are ScoreUI's.
  EXPECT_EQ(labels(comparisons(evidence, constant, Unit::model, true)),
            (std::vector<std::string>{"checkpoint/original.0.5/0 checkpoint", "original/0 original",
                                      "constant_predictor/0 constant"}));
  const auto whole = comparisons(evidence, constant, Unit::whole);
  EXPECT_EQ(labels(whole), (std::vector<std::string>{"evidence graded"}));
  EXPECT_TRUE(whole[0].candidate.empty());
}

TEST(Comparisons, OfGroups) {
  const Evidence evidence =
      small_evidence({small_group("original", "", 1), small_group("retrained", "", 3),
                      small_group("unlearned", "ft", 2), small_group("unlearned", "one", 1)});
  const Group constant = constant_group(evidence);
  const auto list = comparisons(evidence, constant, Unit::group);
  // One model alone is called by its own name.
  EXPECT_EQ(labels(list),
            (std::vector<std::string>{"unlearned/ft ", "unlearned/one/0 ", "original/0 original",
                                      "retrained retrained", "constant_predictor/0 constant"}));
  EXPECT_EQ(names(list[0].candidate), "unlearned/ft/0 unlearned/ft/1 ");
  EXPECT_EQ(names(list[0].retrained), "retrained/0 retrained/1 retrained/2 ");
  EXPECT_EQ(names(list[3].candidate), "retrained/0 retrained/1 retrained/2 ");
  EXPECT_TRUE(list[3].retrained.empty());
}

// The controls stand at the same number of models: the first half of each pool against the second
// half of the retrained one, in name order.
TEST(Comparisons, OfPoolsAndTheirHalves) {
  const Evidence evidence =
      small_evidence({small_group("original", "", 4), small_group("retrained", "", 4),
                      small_group("unlearned", "ft", 4)});
  const Group constant = constant_group(evidence);
  const auto list = comparisons(evidence, constant, Unit::pool);
  EXPECT_EQ(labels(list), (std::vector<std::string>{
                              "unlearned/ft ", "original original", "constant_predictor constant",
                              "unlearned/ft  halves", "original original halves",
                              "retrained retrained halves", "constant_predictor constant halves"}));
  EXPECT_EQ(list[2].candidate.size(), 4U);
  EXPECT_EQ(names(list[3].candidate), "unlearned/ft/0 unlearned/ft/1 ");
  EXPECT_EQ(names(list[5].candidate), "retrained/0 retrained/1 ");
  EXPECT_EQ(list[6].candidate.size(), 2U);
  for (std::size_t index = 3; index < 7; ++index) {
    EXPECT_EQ(names(list[index].retrained), "retrained/2 retrained/3 ");
  }
  EXPECT_EQ(names(list[3].original), "original/0 original/1 ");
}

TEST(Comparisons, OddAndShortPools) {
  const Evidence evidence =
      small_evidence({small_group("retrained", "", 5), small_group("unlearned", "ft", 1)});
  const auto list = comparisons(evidence, Group{}, Unit::pool);
  EXPECT_EQ(labels(list), (std::vector<std::string>{"unlearned/ft ", "unlearned/ft  halves",
                                                    "retrained retrained halves"}));
  EXPECT_EQ(names(list[1].candidate), "unlearned/ft/0 ");
  EXPECT_EQ(names(list[2].candidate), "retrained/0 retrained/1 ");
  EXPECT_EQ(names(list[2].retrained), "retrained/2 retrained/3 retrained/4 ");
}

TEST(Comparisons, WithoutRetrainedThereAreNoHalves) {
  const Evidence evidence =
      small_evidence({small_group("original", "", 2), small_group("unlearned", "ft", 2)});
  const auto list = comparisons(evidence, Group{}, Unit::pool);
  EXPECT_EQ(labels(list), (std::vector<std::string>{"unlearned/ft ", "original original"}));
  EXPECT_TRUE(comparisons(small_evidence({}), Group{}, Unit::model).empty());
}

TEST(Comparisons, OriginalsArePairedByNameOrByDeclaration) {
  Evidence evidence =
      small_evidence({small_group("original", "", 3), small_group("unlearned", "ft", 2)});
  EXPECT_EQ(names(comparisons(evidence, Group{}, Unit::model)[1].original), "original/1 ");
  evidence.pairing["unlearned/ft/1"] = "original/2";
  EXPECT_EQ(names(comparisons(evidence, Group{}, Unit::model)[1].original), "original/2 ");
  // Both came from the same original: it is listed once.
  evidence.pairing["unlearned/ft/0"] = "original/2";
  EXPECT_EQ(names(comparisons(evidence, Group{}, Unit::group)[0].original), "original/2 ");
  // A name without partner: all of them.
  evidence.groups[1].models[0].name = "x";
  EXPECT_EQ(names(comparisons(evidence, Group{}, Unit::model)[0].original),
            "original/0 original/1 original/2 ");
}

// Laplace's rule by hand: labels {0, 0, 1} of three classes give (3, 2, 1) / 6.
TEST(ConstantPredictor, PredictsTheClassFrequenciesOfRetain) {
  Evidence evidence = small_evidence({small_group("original", "", 1)});
  evidence.classes = 3;
  evidence.labels["retain"] = {0, 0, 1};
  evidence.groups[0].models[0].outputs["forget"] =
      testing::array_of(evidence::DType::float32, std::vector<double>(6), {2, 3});
  const Group group = constant_group(evidence);
  ASSERT_EQ(group.models.size(), 1U);
  EXPECT_EQ(group.models[0].id(), "constant_predictor/0");
  const std::vector<double> logs = group.models[0].outputs.at("forget").doubles();
  ASSERT_EQ(logs.size(), 6U);
  for (std::size_t row = 0; row < 2; ++row) {
    // 1e-7: the values are stored as floats.
    EXPECT_NEAR(logs[3 * row], std::log(3.0 / 6), 1e-7);
    EXPECT_NEAR(logs[3 * row + 1], std::log(2.0 / 6), 1e-7);
    EXPECT_NEAR(logs[3 * row + 2], std::log(1.0 / 6), 2e-7);
  }
  evidence.kind = evidence::OutputKind::probabilities;
  EXPECT_NEAR(constant_group(evidence).models[0].outputs.at("forget").doubles()[0], 0.5, 1e-7);
  evidence.labels.erase("retain");  // forget labels {1, 0}: (2, 2, 1) / 5
  EXPECT_NEAR(constant_group(evidence).models[0].outputs.at("forget").doubles()[2], 0.2, 1e-7);
}

TEST(ConstantPredictor, NeedsModelsLabelsAndClasses) {
  EXPECT_TRUE(constant_group(small_evidence({})).models.empty());
  EXPECT_TRUE(constant_group(small_evidence({small_group("shadow", "", 1)})).models.empty());
  Evidence evidence = small_evidence({small_group("retrained", "", 1)});
  EXPECT_EQ(constant_group(evidence).models.size(), 1U);
  evidence.labels.clear();
  EXPECT_TRUE(constant_group(evidence).models.empty());
}

// One example of the forget set was of quality A.
TEST(Grade, FewExamplesShowLittle) {
  const auto quality = [](std::size_t forget, std::size_t unseen) {
    Evidence evidence = small_evidence({small_group("retrained", "", 2)});
    for (evidence::Model& model : evidence.groups[0].models) {
      model.outputs.clear();
      for (const auto& [split, rows] : {std::pair("forget", forget), {"test", unseen}}) {
        if (rows == 0) continue;
        model.outputs[split] =
            evidence::Array::from_doubles(std::vector<double>(rows * 2), {rows, 2});
      }
    }
    return evidence_quality(evidence);
  };
  EXPECT_EQ(quality(25, 25).letter, 'A');
  EXPECT_EQ(quality(24, 500).letter, 'C');
  EXPECT_EQ(quality(500, 24).letter, 'C');
  EXPECT_EQ(quality(1, 500).letter, 'D');
  EXPECT_EQ(quality(500, 0).letter, 'A');  // verdicts rest on models alone
  EXPECT_EQ(quality(1, 500).reason,
            result::reason(result::Code::grade_few_examples, 1, 500,
                           result::reason(result::Code::grade_several_retrained, 2)));
}

TEST(Grade, FromAToD) {
  EXPECT_EQ(grade(small_evidence({small_group("retrained", "", 2)})).letter, 'A');
  EXPECT_EQ(grade(small_evidence({small_group("retrained", "", 2)})).reason,
            result::reason(result::Code::grade_several_retrained, 2));
  EXPECT_EQ(grade(small_evidence({small_group("retrained", "", 1)})).letter, 'B');
  EXPECT_EQ(grade(small_evidence({small_group("shadow", "", 9)})).letter, 'C');
  EXPECT_EQ(grade(small_evidence({small_group("unlearned", "ft", 1)})).letter, 'D');
  for (const char* role : {"retrained", "shadow", "original"}) {
    EXPECT_FALSE(grade(small_evidence({small_group(role, "", 1)})).reason.empty());
  }
}

}  // namespace
}  // namespace vestige::audit
