// Shuffled copies of real outputs are found in every way in which people shuffle them; models that
// are collapsed, over-forgotten or untrained get no finding.
#include "vestige/evidence/checks/row_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/evidence/checks/demo_models.h"
#include "tests/evidence/support.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::holds;
using testing::said;

class RowOrder : public testing::DemoModels {
 protected:
  testing::Codes codes_found() { return testing::codes_of(check_row_order(evidence)); }
};

TEST_F(RowOrder, SoundModelsAreNotAccused) { EXPECT_EQ(codes_found(), Codes{}); }

TEST_F(RowOrder, OneModelsForgetRows) {
  shuffle(model("unlearned/reinit_repair/0"), "forget", 1);
  const Findings findings = check_row_order(evidence);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "W-ORDER");
  EXPECT_EQ(findings[0].model, "unlearned/reinit_repair/0");
  EXPECT_EQ(findings[0].reason.code, Code::rows_in_other_order);
  EXPECT_TRUE(
      holds(said(findings[0]),
            {"unlearned/reinit_repair/0/forget.npy is probably in another order than labels/forget",
             "agrees with none of original/0", "without shuffling"}));
}

TEST_F(RowOrder, OneModelsTestOrRetainRows) {
  for (const char* split : {"test", "retain", "calibration"}) {
    for (const char* id : {"original/0", "retrained/0", "unlearned/random_label/0"}) {
      const Array before = model(id).outputs.at(split);
      shuffle(model(id), split, 2);
      const Findings findings = check_row_order(evidence);
      ASSERT_EQ(findings.size(), 1U) << id << " " << split;
      EXPECT_EQ(findings[0].file, fmt::format("{}/{}.npy", id, split));
      EXPECT_EQ(findings[0].code, "W-ORDER");
      model(id).outputs.at(split) = before;
    }
  }
}

TEST_F(RowOrder, AllModelsAlike) {
  for (const char* split : {"forget", "test"}) {
    for_each_model([&](Model& one) { shuffle(one, split, 3); });
    const Findings findings = check_row_order(evidence);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].code, "W-LABELS");
    EXPECT_EQ(findings[0].file, fmt::format("labels/{}.npy", split));
    EXPECT_EQ(findings[0].reason.code, Code::labels_in_other_order);
    evidence = load(VESTIGE_SOURCE_DIR "/demo/fashion-one").evidence;
  }
}

TEST_F(RowOrder, PermutedLabels) {
  for (const char* split : {"forget", "retain", "test"}) {
    auto& labels = evidence.labels.at(split);
    const auto before = labels;
    Stream(4, "labels").shuffle(std::span(labels));
    EXPECT_EQ(codes_found(), Codes{"W-LABELS"}) << split;
    labels = before;
  }
}

TEST_F(RowOrder, AllModelsInOrdersOfTheirOwn) {
  std::uint64_t seed = 10;
  for_each_model([&](Model& one) { shuffle(one, "retain", ++seed); });
  const Findings findings = check_row_order(evidence);
  std::size_t models = 0;
  for (const Group& group : evidence.groups) models += group.models.size();
  EXPECT_EQ(findings.size(), models);
  EXPECT_TRUE(holds(said(findings.at(0)), {"does well on another split"}));
}

// Then nobody knows any label, and nobody else who could tell.
TEST_F(RowOrder, EveryLoaderShuffles) {
  std::uint64_t seed = 100;
  for_each_model([&](Model& one) {
    for (const char* split : {"forget", "retain", "test", "calibration"}) {
      if (one.has(split)) shuffle(one, split, ++seed);
    }
  });
  const Findings findings = check_row_order(evidence);
  ASSERT_EQ(codes_found(), Codes{"W-ORDER"});
  EXPECT_EQ(findings[0].reason.code, Code::everything_at_chance);
  EXPECT_TRUE(findings[0].blocks_verdicts);
  EXPECT_TRUE(holds(said(findings[0]), {"no more often than by chance", "probably shuffle"}));
}

// A loader that sorts by class and shuffles within: the labels fit, the rows do not.
TEST_F(RowOrder, WithinClasses) {
  const auto& labels = evidence.labels.at("test");
  change(model("retrained/0"), "test", [&](Matrix& values) {
    const Matrix before = values;
    for (std::int64_t label = 0; label < 10; ++label) {
      std::vector<std::size_t> rows;
      for (std::size_t row = 0; row < labels.size(); ++row) {
        if (labels[row] == label) rows.push_back(row);
      }
      std::vector<std::size_t> order = rows;
      Stream(5, "within", static_cast<std::uint64_t>(label)).shuffle(std::span(order));
      for (std::size_t place = 0; place < rows.size(); ++place) {
        std::copy_n(before.row(order[place]).begin(), values.cols(),
                    values.row(rows[place]).begin());
      }
    }
  });
  const Findings findings = check_row_order(evidence);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].file, "retrained/0/test.npy");
  EXPECT_EQ(findings[0].reason.code, Code::rows_in_other_order_in_classes);
}

TEST_F(RowOrder, OneClassForgottenAndShuffled) {
  auto& labels = evidence.labels.at("forget");
  std::fill(labels.begin(), labels.end(), 3);
  EXPECT_EQ(codes_found(), Codes{});
  shuffle(model("original/0"), "forget", 6);
  EXPECT_EQ(codes_found(), Codes{"W-ORDER"});
}

// Nearly constant answers: named as what they are.
TEST_F(RowOrder, ACollapsedModelIsNotShuffled) {
  Model& victim = model("unlearned/random_label/0");
  for (const char* split : {"forget", "retain", "test", "calibration"}) {
    change(victim, split, [](Matrix& values) {
      Stream noise(7, "collapsed");
      for (std::size_t row = 0; row < values.rows(); ++row) {
        for (double& value : values.row(row)) value = noise.normal();
        values(row, 2) += 20;
      }
    });
  }
  const Findings findings = check_row_order(evidence);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "W-COLLAPSED");
  EXPECT_EQ(findings[0].model, "unlearned/random_label/0");
  EXPECT_EQ(findings[0].reason.code, Code::model_collapsed);
  EXPECT_NEAR(std::get<double>(result::argument(findings[0].reason, "most")), 1, 1e-12);
}

TEST_F(RowOrder, OverForgettingIsNotShuffling) {
  Model& victim = model("unlearned/random_label/0");
  const Array before = victim.outputs.at("forget");
  const auto& labels = evidence.labels.at("forget");
  // The true class is pushed below all others, as gradient ascent does.
  change(victim, "forget", [&](Matrix& values) {
    for (std::size_t row = 0; row < values.rows(); ++row) {
      values(row, static_cast<std::size_t>(labels[row])) = -100;
    }
  });
  EXPECT_EQ(codes_found(), Codes{});
  // Every forget row is given one wrong class, the other splits are fine.
  victim.outputs.at("forget") = before;
  change(victim, "forget", [](Matrix& values) {
    for (std::size_t row = 0; row < values.rows(); ++row) values(row, 5) = 100;
  });
  EXPECT_EQ(codes_found(), Codes{});
  // Random labels learned by heart: the answers are noise, what lies below them is not.
  victim.outputs.at("forget") = before;
  change(victim, "forget", [](Matrix& values) {
    Stream noise(8, "random labels");
    for (std::size_t row = 0; row < values.rows(); ++row) values(row, noise.below(10)) = 100;
  });
  EXPECT_EQ(codes_found(), Codes{});
}

TEST_F(RowOrder, UntrainedModelsAreLeftAlone) {
  Model untrained = model("retrained/0");
  untrained.role = "random";
  for (const char* split : {"forget", "retain", "test"}) shuffle(untrained, split, 9);
  evidence.groups.push_back({"random", "", {untrained}});
  EXPECT_EQ(codes_found(), Codes{});
}

// A few rows show nothing with certainty.
TEST_F(RowOrder, FewRowsAreNotJudged) {
  auto& labels = evidence.labels.at("forget");
  labels.resize(40);
  for_each_model([&](Model& one) {
    const Matrix all = matrix(one.outputs.at("forget"));
    one.outputs.at("forget") = Array::from_doubles(
        {all.values().begin(), all.values().begin() + 40 * static_cast<std::ptrdiff_t>(all.cols())},
        {40, all.cols()});
  });
  shuffle(model("original/0"), "forget", 1);
  EXPECT_EQ(codes_found(), Codes{});
}

}  // namespace
}  // namespace vestige::evidence
