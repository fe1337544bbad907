// Copies of a model are found through noise, shifts and temperatures; other trainings and methods
// that hardly changed the original are not taken for copies.
#include "vestige/evidence/checks/near_copies.h"

#include "tests/evidence/checks/demo_models.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::codes_of;

class NearCopiesTest : public testing::DemoModels {
 protected:
  Findings found() { return check_near_copies(evidence); }

  void copy(const std::string& from, const std::string& to) {
    for (const char* split : {"forget", "retain", "test"}) {
      model(to).outputs.at(split) = model(from).outputs.at(split);
    }
  }
};

TEST_F(NearCopiesTest, OtherTrainingsAreNone) { EXPECT_EQ(codes_of(found()), Codes{}); }

TEST_F(NearCopiesTest, NoiseShiftAndTemperature) {
  Stream noise(1, "noise");
  const std::function<void(Matrix&)> actions[] = {[&](Matrix& values) {
                                                    for (double& value : values.values())
                                                      value += 0.001 * (noise.uniform() - 0.5);
                                                  },
                                                  [](Matrix& values) {
                                                    for (double& value : values.values())
                                                      value *= 1.02;
                                                  },
                                                  [](Matrix& values) {
                                                    for (std::size_t row = 0; row < values.rows();
                                                         ++row) {
                                                      for (double& value : values.row(row))
                                                        value += static_cast<double>(row % 7);
                                                    }
                                                  }};
  for (const auto& action : actions) {
    copy("retrained/0", "unlearned/finetune/0");
    for (const char* split : {"forget", "retain", "test"}) {
      change(model("unlearned/finetune/0"), split, action);
    }
    const Findings findings = found();
    ASSERT_EQ(codes_of(findings), Codes{"W-SAME"});
    EXPECT_EQ(findings[0].reason.code, Code::nearly_same_values);
    EXPECT_EQ(findings[0].model, "unlearned/finetune/0");
    EXPECT_TRUE(findings[0].blocks_verdicts);
  }
}

// The original with a little noise is a method that hardly changed the model, which verdicts say.
TEST_F(NearCopiesTest, AMethodNearTheOriginalIsNone) {
  copy("original/0", "unlearned/finetune/0");
  for (const char* split : {"forget", "retain", "test"}) {
    change(model("unlearned/finetune/0"), split, [](Matrix& values) { values(0, 0) += 0.01; });
  }
  EXPECT_EQ(codes_of(found()), Codes{});
}

// One unlearned model that was exported twice, the second time with a little noise.
TEST_F(NearCopiesTest, OneModelOfAMethodTwice) {
  ASSERT_NE(model("unlearned/finetune/0").outputs.count("test"), 0U);
  for (evidence::Group& group : evidence.groups) {
    if (group.role != "unlearned" || group.method != "finetune") continue;
    evidence::Model again = group.models.front();
    again.name = "again";
    group.models.push_back(again);
  }
  Stream noise(2, "noise");
  for (const char* split : {"forget", "retain", "test"}) {
    change(model("unlearned/finetune/again"), split, [&](Matrix& values) {
      for (double& value : values.values()) value += 0.001 * (noise.uniform() - 0.5);
    });
  }
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-SAME"});
  EXPECT_EQ(findings[0].reason.code, Code::method_model_again);
  EXPECT_EQ(findings[0].model, "unlearned/finetune/again");
  EXPECT_TRUE(findings[0].blocks_verdicts);
  // Both as near to the original: a method that hardly moves, whose models are alike.
  for (const char* name : {"unlearned/finetune/0", "unlearned/finetune/again"}) {
    copy("original/0", name);
    for (const char* split : {"forget", "retain", "test"}) {
      change(model(name), split, [&](Matrix& values) {
        for (double& value : values.values()) value += 0.001 * (noise.uniform() - 0.5);
      });
    }
  }
  EXPECT_EQ(codes_of(found()), Codes{});
}

TEST_F(NearCopiesTest, OnlyForgetAnswersAreOthers) {
  copy("original/0", "unlearned/finetune/0");
  EXPECT_EQ(codes_of(found()), Codes{}) << "the whole model is the original: another finding";
  model("unlearned/finetune/0").outputs.at("forget") = model("retrained/0").outputs.at("forget");
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-SAME"});
  EXPECT_EQ(findings[0].reason.code, Code::only_forget_differs);
  EXPECT_FALSE(findings[0].blocks_verdicts) << "traces behind a filter are still traces";
}

// A class was forgotten, and the method never says it: the original behind a mask, however its
// other logits are normalised. A model that also changed its other answers is none.
TEST_F(NearCopiesTest, OnlyTheForgottenClassIsMasked) {
  constexpr std::int64_t kForgotten = 3;
  for (std::int64_t& label : evidence.labels.at("forget")) label = kForgotten;
  for (std::int64_t& label : evidence.labels.at("retain")) label = label == kForgotten ? 4 : label;
  const auto masked = [&](double noise) {
    copy("original/0", "unlearned/finetune/0");
    Stream stream(5, "masked");
    for (const char* split : {"forget", "retain", "test"}) {
      change(model("unlearned/finetune/0"), split, [&](Matrix& values) {
        for (std::size_t row = 0; row < values.rows(); ++row) {
          const double shift = stream.uniform();
          for (double& value : values.row(row)) value += shift + noise * (stream.uniform() - 0.5);
          values(row, kForgotten) = -20 + stream.uniform();
        }
      });
    }
  };
  masked(0);
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-SAME"});
  EXPECT_EQ(findings[0].reason.code, Code::only_forget_differs);
  EXPECT_EQ(findings[0].model, "unlearned/finetune/0");
  EXPECT_FALSE(findings[0].blocks_verdicts);
  masked(3);
  EXPECT_EQ(codes_of(found()), Codes{});
}

}  // namespace
}  // namespace vestige::evidence
