// Retrained models that were trained on the forget set, or that are far worse than the original.
#include "vestige/evidence/checks/reference_models.h"

#include "tests/evidence/checks/demo_models.h"
#include "tests/evidence/support.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::codes_of;
using testing::holds;
using testing::said;

class ReferenceModels : public testing::DemoModels {
 protected:
  Findings found() { return check_reference_models(evidence, {}); }
};

TEST_F(ReferenceModels, SoundModels) { EXPECT_EQ(codes_of(found()), Codes{}); }

// Outputs of the original with noise: another original of the same recipe.
TEST_F(ReferenceModels, AnotherOriginal) {
  Stream noise(3, "another original");
  for (const char* split : {"forget", "retain", "test"}) {
    model("retrained/0").outputs.at(split) = model("original/0").outputs.at(split);
    change(model("retrained/0"), split, [&](Matrix& values) {
      for (double& value : values.values()) value += 0.5 * (noise.uniform() - 0.5);
    });
  }
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-RETRAINED"});
  EXPECT_EQ(findings[0].reason.code, Code::retrained_knows_forget);
  EXPECT_TRUE(findings[0].blocks_verdicts);
  EXPECT_TRUE(holds(said(findings[0]), {"know the forget set as well as the original models do"}));
}

TEST_F(ReferenceModels, FarLessAccurate) {
  // Every second test example gets the next class: half of the answers become wrong.
  change(model("retrained/0"), "test", [](Matrix& values) {
    for (std::size_t row = 0; row < values.rows(); row += 2) {
      const auto line = values.row(row);
      std::rotate(line.begin(), line.begin() + 1, line.end());
    }
  });
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-RETRAINED"});
  EXPECT_EQ(findings[0].reason.code, Code::retrained_accuracy_far);
  // Not beside the finding that explains it.
  const Finding shuffled{Severity::warning, "", Code::none, "W-ORDER", "retrained/0"};
  EXPECT_EQ(codes_of(check_reference_models(evidence, {shuffled})), Codes{});
}

// One tenth of the retain answers become wrong, although both were trained on them.
TEST_F(ReferenceModels, LearnedLess) {
  change(model("retrained/0"), "retain", [](Matrix& values) {
    for (std::size_t row = 0; row < values.rows(); row += 8) {
      const auto line = values.row(row);
      std::rotate(line.begin(), line.begin() + 1, line.end());
    }
  });
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-RETRAINED"});
  EXPECT_EQ(findings[0].reason.code, Code::retrained_behind);
}

// Labels that are the answers of one model: it is never wrong, the others are.
TEST_F(ReferenceModels, LabelsThatAModelAnswered) {
  const Matrix values = matrix(model("original/0").outputs.at("test"));
  for (std::size_t row = 0; row < values.rows(); ++row) {
    const auto line = values.row(row);
    evidence.labels.at("test")[row] = std::max_element(line.begin(), line.end()) - line.begin();
  }
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-LABELS"});
  EXPECT_EQ(findings[0].reason.code, Code::labels_are_answers);
  EXPECT_TRUE(findings[0].blocks_verdicts);
}

// A class that the retain set does not have.
TEST_F(ReferenceModels, KnowsAForgottenClass) {
  for (std::int64_t& label : evidence.labels.at("forget")) label = 4;
  for (std::int64_t& label : evidence.labels.at("retain")) label = label == 4 ? 5 : label;
  change(model("retrained/0"), "forget", [](Matrix& values) {
    for (std::size_t row = 0; row < values.rows(); ++row) values(row, 4) = -50;
  });
  EXPECT_EQ(codes_of(found()), Codes{});
  change(model("retrained/0"), "forget", [](Matrix& values) {
    for (std::size_t row = 0; row < values.rows(); ++row) values(row, 4) = 50;
  });
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-RETRAINED"});
  EXPECT_EQ(findings[0].reason.code, Code::retrained_knows_class);
}

}  // namespace
}  // namespace vestige::evidence
