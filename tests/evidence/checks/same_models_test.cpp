// Copies are found in every way in which people make them; models that may be alike are left alone.
#include "vestige/evidence/checks/same_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::array_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::kSplits;
using testing::said;
using testing::Texts;

/// What reading says of copies.
Findings found(const Reading& reading) {
  Findings same;
  for (const Finding& finding : reading.findings) {
    if (finding.code == "W-SAME") same.push_back(finding);
  }
  return same;
}

/// What the copy means, of a reason Code::same_values.
Reason meaning(const Finding& finding) {
  EXPECT_EQ(finding.reason.code, Code::same_values);
  return std::get<result::Reasons>(result::argument(finding.reason, "meaning")).at(0);
}

Findings found(const EvidenceFolder& folder) { return found(read(folder.path())); }

std::size_t models_of(const Evidence& evidence, const std::string& role) {
  return evidence.find(role)->models.size();
}

TEST(SameModels, DifferentModelsAreNotAccused) {
  const EvidenceFolder folder(
      EvidenceShape{.models = 3, .shadows = 3, .activations = 4, .untrained = true});
  EXPECT_EQ(found(folder).size(), 0U);
  EXPECT_EQ(found(read(VESTIGE_SOURCE_DIR "/demo/fashion-one")).size(), 0U);
}

TEST(SameModels, AMethodThatIsARetrainedModel) {
  EvidenceFolder folder{EvidenceShape{}};
  folder.copy_model("retrained/1", "unlearned/finetune/0");
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].severity, Severity::warning);
  EXPECT_EQ(same[0].model, "unlearned/finetune/0");
  EXPECT_EQ(same[0].file, "unlearned/finetune/0/calibration.npy");
  EXPECT_EQ(same[0].reason, reason(Code::same_values, "retrained/1/calibration.npy",
                                   Texts{"forget", "retain", "test"},
                                   reason(Code::unlearned_is_retrained, "retrained/1"), Texts{}));
  EXPECT_EQ(said(same[0]),
            "unlearned/finetune/0/calibration.npy has exactly the values of "
            "retrained/1/calibration.npy, and so have forget, retain, test. Comparing a model with "
            "itself shows nothing, so the method has no verdict. Export the outputs of the "
            "unlearned model. If the method is this retraining, remove retrained/1");
}

TEST(SameModels, AMethodThatDidNothing) {
  EvidenceFolder folder{EvidenceShape{}};
  folder.copy_model("original/0", "unlearned/finetune/0");
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(meaning(same[0]), Reason(Code::unlearned_is_original));
}

TEST(SameModels, AnOriginalThatIsARetrainedModel) {
  EvidenceFolder folder{EvidenceShape{}};
  folder.copy_model("original/0", "retrained/0");
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].model, "retrained/0");
  EXPECT_EQ(meaning(same[0]), Reason(Code::retrained_is_original));
}

TEST(SameModels, TwoMethodsAndOneModel) {
  EvidenceFolder folder{EvidenceShape{}};
  folder.copy_model("unlearned/finetune/0", "unlearned/nothing/0");
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(meaning(same[0]),
            reason(Code::one_model_two_names, "unlearned/finetune/0", "unlearned/nothing/0"));
}

TEST(SameModels, AFinishedModelAsACheckpoint) {
  EvidenceFolder folder{EvidenceShape{}};
  folder.copy_model("retrained/0", "checkpoint/original.0.5/0");
  folder.copy_model("retrained/1", "checkpoint/retrained.1/1");
  folder.copy_model("original/0", "checkpoint/original.1/0");
  folder.copy_model("original/0", "partial/0/0");
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U) << "what became of a checkpoint may be like it, and so may be a "
                                "partial retrain and a whole one";
  EXPECT_EQ(same[0].model, "checkpoint/original.0.5/0");
  EXPECT_EQ(meaning(same[0]), Reason(Code::checkpoint_is_retrained));
}

// A model that stands twice in its group counts once, and what was paired with it is paired with
// the one that stays; so do its values of accuracy.json.
TEST(SameModels, TwinsCountOnce) {
  for (const char* role : {"original", "retrained", "shadow"}) {
    EvidenceFolder folder(EvidenceShape{.models = 3, .shadows = 3});
    folder.copy_model(std::string(role) + "/0", std::string(role) + "/2");
    if (std::string(role) == "shadow") {
      folder.put("shadow/2/shadow_train", folder.array("shadow/0/shadow_train"));
    }
    folder.put_file("accuracy.json",
                    std::string("{\"") + role + "\": {\"test\": [0.7, 0.8, 0.9]}}");
    const Reading reading = read(folder.path());
    const Findings same = found(reading);
    ASSERT_EQ(same.size(), 1U) << role;
    EXPECT_EQ(meaning(same[0]),
              reason(Code::model_twice, std::string(role) + "/0", std::string(role) + "/2"));
    EXPECT_EQ(models_of(reading.evidence, role), 2U);
    EXPECT_EQ(*reading.evidence.find_accuracy(*reading.evidence.find(role), "test"),
              (std::vector<double>{0.7, 0.8}));
    const Model& third = reading.evidence.find("unlearned", "finetune")->models[2];
    EXPECT_EQ(reading.evidence.original_of(third)->id(),
              std::string(role) == "original" ? "original/0" : "original/2");
  }
}

TEST(SameModels, ManyTwinsAreOneFinding) {
  EvidenceFolder folder(EvidenceShape{.models = 5});
  for (const char* name : {"1", "2", "3", "4"}) {
    folder.copy_model("retrained/0", std::string("retrained/") + name);
  }
  const Reading reading = read(folder.path());
  ASSERT_EQ(found(reading).size(), 1U);
  EXPECT_EQ(meaning(found(reading)[0]), reason(Code::model_twice, "retrained/0", "retrained/1"));
  EXPECT_EQ(result::argument(found(reading)[0].reason, "likewise"),
            result::Argument(Texts{"retrained/2", "retrained/3", "retrained/4"}));
  EXPECT_EQ(models_of(reading.evidence, "retrained"), 1U);
}

TEST(SameModels, TwinsOfAStackedPool) {
  EvidenceFolder folder(EvidenceShape{.models = 1});
  for (const std::string& split : kSplits) {
    const evidence::Array one = folder.array("shadow/0/" + split);
    std::vector<double> stacked = one.doubles();
    for (const double value : one.doubles()) stacked.push_back(value + 0.5);
    for (const double value : one.doubles()) stacked.push_back(value);
    folder.put("shadow/pool/" + split,
               array_of(DType::float32, stacked, {3, one.rows(), one.cols()}));
    folder.remove("shadow/0/" + split);
  }
  folder.remove("shadow/0/shadow_train");
  folder.remove("labels/shadow_train");
  const Reading reading = read(folder.path());
  ASSERT_EQ(found(reading).size(), 1U);
  EXPECT_EQ(found(reading)[0].file, "shadow/pool/calibration.npy (model 2)");
  EXPECT_EQ(result::argument(found(reading)[0].reason, "other"),
            result::Argument("shadow/pool/calibration.npy (model 0)"));
  EXPECT_EQ(models_of(reading.evidence, "shadow"), 2U);
}

// Forget rows of a retrained model under the method's name, all other rows its own.
TEST(SameModels, OneFileThatWasMixedUp) {
  EvidenceFolder folder{EvidenceShape{}};
  folder.put("unlearned/finetune/0/forget", folder.array("retrained/0/forget"));
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].file, "unlearned/finetune/0/forget.npy");
  EXPECT_EQ(meaning(same[0]),
            reason(Code::files_mixed_up, "retrained/0", "unlearned/finetune/0", true));
}

// A filter in front of the original changes forget rows alone: no copy, but nothing forgot.
TEST(SameModels, AFilterInFrontOfTheOriginalIsNoCopy) {
  EvidenceFolder folder{EvidenceShape{}};
  const evidence::Array forget = folder.array("unlearned/finetune/0/forget");
  folder.copy_model("original/0", "unlearned/finetune/0");
  folder.put("unlearned/finetune/0/forget", forget);
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].reason.code, Code::only_forget_differs);
}

TEST(SameModels, OneValueMakesTheDifference) {
  EvidenceFolder folder(EvidenceShape{.forget = 5000});  // several blocks
  folder.copy_model("original/0", "unlearned/finetune/0");
  EXPECT_EQ(found(folder).size(), 1U);
  folder.change("unlearned/finetune/0/forget", [](auto& values) { values[40001] += 0.25; });
  EXPECT_EQ(found(folder).size(), 0U);
}

// The same outputs in float32 and in float16: rounded, they are the same.
TEST(SameModels, CopiesOfAnotherPrecision) {
  EvidenceFolder folder{EvidenceShape{}};
  for (const std::string& split : kSplits) {
    const evidence::Array& from = folder.array("retrained/0/" + split);
    folder.put("unlearned/finetune/0/" + split,
               array_of(DType::float16, from.doubles(), from.shape()));
  }
  ASSERT_EQ(found(folder).size(), 1U);
  // 2^-9 of the value is more than rounding (2^-11) explains.
  folder.change("unlearned/finetune/0/test",
                [](auto& values) { values[7] += std::abs(values[7]) * 0x1p-9; });
  folder.change("unlearned/finetune/0/forget",
                [](auto& values) { values[7] += std::abs(values[7]) * 0x1p-9; });
  EXPECT_EQ(found(folder)[0].file, "unlearned/finetune/0/calibration.npy");
}

// Answers alone (one-hot), and constant answers, may be the same by chance.
TEST(SameModels, AnswersWithoutProbabilitiesAreNoCopies) {
  EvidenceFolder folder{EvidenceShape{}};
  for (const char* model : {"retrained/0", "unlearned/finetune/0"}) {
    for (const std::string& split : kSplits) {
      folder.change(std::string(model) + "/" + split, [](auto& values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 10 == i / 10 % 10 ? 1 : 0;
      });
    }
  }
  folder.put_file("evidence.toml", "kind = \"logits\"\n");
  EXPECT_EQ(found(folder).size(), 0U);
}

TEST(SameModels, LanguageModelsByTokensAndLosses) {
  EvidenceFolder folder;
  std::vector<double> tokens, offsets = {0, 20, 40, 60}, losses;
  for (int i = 0; i < 60; ++i) tokens.push_back(-0.125 * (i % 23 + 1));
  for (int i = 0; i < 30; ++i) losses.push_back(0.25 * (i % 19 + 1));
  const auto put = [&](const std::string& model, double more) {
    std::vector<double> own = tokens, loss = losses;
    for (double& value : own) value -= more;
    for (double& value : loss) value += more;
    folder.put(model + "/tokens/forget", array_of(DType::float32, own, {60}));
    folder.put(model + "/tokens/forget.offsets", array_of(DType::int64, offsets, {4}));
    folder.put(model + "/losses/test", array_of(DType::float32, loss, {30}));
  };
  put("original/0", 0);
  put("retrained/0", 1);
  put("retrained/1", 2);
  put("unlearned/npo/0", 2);
  const Findings same = found(folder);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].file, "unlearned/npo/0/losses/test.npy");
  EXPECT_EQ(same[0].reason,
            reason(Code::same_values, "retrained/1/losses/test.npy", Texts{"tokens/forget"},
                   reason(Code::unlearned_is_retrained, "retrained/1"), Texts{}));
}

}  // namespace
}  // namespace vestige::evidence
