// What was not measured never reassures: verdicts on evidence that lacks something.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/audit/known_methods.h"
#include "vestige/words/headline.h"
#include "vestige/words/verdicts.h"

namespace vestige::audit {
namespace {

using result::Code;
using testing::array_of;
using testing::holds;

/// Removes a split of some models.
auto without(std::vector<std::string> models, const std::string& split) {
  return [=](EvidenceFolder& folder) {
    for (const std::string& model : models) folder.remove(model + "/" + split);
  };
}

// spec: FORGOTTEN with utility unmeasured.
TEST(NotTested, ForgottenNeedsUtilityOnRetain) {
  EXPECT_EQ(answer_after("copy", 1, [](EvidenceFolder&) {}).word, Word::forgotten);
  const Verdict verdict = answer_after("copy", 1, without({"unlearned/copy/0"}, "retain"));
  EXPECT_EQ(verdict.word, Word::not_tested) << words::sentence(verdict);
  EXPECT_EQ(verdict.equivalent, Outcome::not_tested);
  EXPECT_EQ(verdict.utility_loss, Outcome::not_tested);
  EXPECT_EQ(verdict.utility_missing.code, Code::utility_not_measured);
  EXPECT_TRUE(
      holds(words::sentence(verdict), {"not tested. Utility was not measured on retain",
                                       "unlearned/copy/0/retain.npy", "no verdict rests on them"}));
}

TEST(NotTested, ForgottenNeedsUtilityOfRetrainedModelsToo) {
  const Verdict verdict = answer_after("copy", 1, without({"retrained/0"}, "retain"));
  EXPECT_EQ(verdict.word, Word::not_tested) << words::sentence(verdict);
  EXPECT_TRUE(holds(words::sentence(verdict), {"retrained/0/retain.npy"}));
}

// Traces are shown whatever is known about utility.
TEST(NotTested, TracesDoNotNeedUtility) {
  const Verdict verdict = answer_after("nothing", 1, without({"unlearned/nothing/0"}, "retain"));
  EXPECT_EQ(verdict.word, Word::traces_remain) << words::sentence(verdict);
  EXPECT_TRUE(holds(words::sentence(verdict), {"Utility was not measured on retain"}));
}

// Three retain examples cannot show that utility is kept.
TEST(NotTested, FewRetainExamplesAreNotEnough) {
  const Verdict verdict = answer_after("copy", 1, [](EvidenceFolder& folder) {
    const auto labels = folder.array("labels/retain").integers();
    folder.put_labels("retain", {labels.begin(), labels.begin() + 3});
    for (const auto& [key, array] : std::map(folder.arrays())) {
      if (!key.ends_with("/retain") || key == "labels/retain") continue;
      std::vector<double> values = array.doubles();
      values.resize(15);
      // One of the three is answered otherwise than by retrained.
      if (key.starts_with("unlearned/copy"))
        std::rotate(values.begin(), values.begin() + 1, values.begin() + 5);
      folder.put(key, array_of(evidence::DType::float32, values, {3, 5}));
    }
  });
  EXPECT_NE(verdict.word, Word::forgotten) << words::sentence(verdict);
}

TEST(NotTested, WithoutTestOutputs) {
  const Verdict verdict =
      answer_after("nothing", 1,
                   without({"unlearned/nothing/0", "unlearned/copy/0", "unlearned/constant/0",
                            "original/0", "retrained/0"},
                           "test"));
  EXPECT_EQ(verdict.word, Word::not_tested);
  EXPECT_EQ(verdict.under, Outcome::not_tested);
  EXPECT_EQ(verdict.obstacle.code, Code::outputs_missing);
  EXPECT_TRUE(holds(words::sentence(verdict),
                    {"not tested", "no outputs on the test set", "unlearned/nothing/0/test.npy"}));
}

TEST(NotTested, WithoutForgetOutputs) {
  const Verdict verdict = answer_after("copy", 1, without({"unlearned/copy/0"}, "forget"));
  EXPECT_EQ(verdict.word, Word::not_tested);
  EXPECT_TRUE(holds(words::sentence(verdict), {"unlearned/copy/0/forget.npy"}));
}

// A collapsed model says nothing about forgetting.
TEST(NotTested, CollapsedModelsShowNeitherUnderNorOver) {
  const Verdict verdict = answer_after("constant", 1, [](EvidenceFolder&) {});
  EXPECT_EQ(verdict.word, Word::collapsed);
  EXPECT_EQ(verdict.under, Outcome::not_tested);
  EXPECT_EQ(verdict.over, Outcome::not_tested);
  EXPECT_EQ(verdict.equivalent, Outcome::excluded);
}

/// Losses alone: 200 of forget, retain and test; the original knows forget and retain, retrained
/// models only retain. `added` is what the method lost on every example.
Verdict of_losses(double added, bool retain) {
  EvidenceFolder folder;
  const auto put = [&folder](const std::string& model, double forget, double plus, bool kept) {
    for (const std::string split : {"forget", "retain", "test"}) {
      if (split == "retain" && !kept) continue;
      Stream difficulty(7, "losses." + split), own(7, "losses." + model + split);
      std::vector<double> values;
      for (int i = 0; i < 200; ++i) {
        const double level = split == "test" ? 2 : split == "retain" ? 1 : forget;
        values.push_back(std::abs(level + 0.3 * difficulty.normal() + 0.05 * own.normal()) + plus);
      }
      folder.put(model + "/losses/" + split, array_of(evidence::DType::float32, values, {200}));
    }
  };
  put("original/0", 1, 0, true);
  put("retrained/0", 2, 0, true);
  put("unlearned/method/0", 2, added, retain);
  return answer_of(audit(evidence::load(folder.path()).evidence, {.metrics = {"utility"}}),
                   "method");
}

TEST(NotTested, LossesAloneHaveAUtility) {
  EXPECT_EQ(of_losses(0, true).word, Word::forgotten) << words::sentence(of_losses(0, true));
  const Verdict ruined = of_losses(8, true);
  EXPECT_EQ(ruined.word, Word::collapsed) << words::sentence(ruined);
  const Verdict damaged = of_losses(0.5, true);
  EXPECT_EQ(damaged.utility_loss, Outcome::shown) << words::sentence(damaged);
  EXPECT_NE(damaged.word, Word::forgotten);
  EXPECT_EQ(of_losses(0, false).word, Word::not_tested) << words::sentence(of_losses(0, false));
}

// Inside the margin is FORGOTTEN everywhere; what is measurable inside it is a field of its own.
TEST(NotTested, DifferencesInsideTheMarginAreExcludedOnes) {
  EvidenceShape large = known_shape(1);
  large.forget = large.retain = large.test = 3000;
  large.methods = {"tenth"};
  EvidenceFolder folder(large);
  copy_nearly(folder, "retrained/0", "unlearned/tenth/0");
  // The original's logit of the true class is 4 higher where it was trained.
  const auto labels = folder.array("labels/forget").integers();
  folder.change("unlearned/tenth/0/forget", [&labels](std::vector<double>& values) {
    for (std::size_t row = 0; row < labels.size(); ++row) {
      values[row * 5 + static_cast<std::size_t>(labels[row])] += 0.2;
    }
  });
  const Verdict verdict = answer_of(audit_of(folder), "tenth");
  EXPECT_EQ(verdict.word, Word::forgotten) << words::sentence(verdict);
  EXPECT_EQ(verdict.under, Outcome::excluded);
  EXPECT_EQ(verdict.over, Outcome::excluded);
  EXPECT_GT(verdict.measurable_within_margin, 0.1) << "the smallest effect";
  EXPECT_LT(verdict.measurable_within_margin, 0.25) << "the margin";
  EXPECT_TRUE(holds(words::sentence(verdict),
                    {"a difference is still measurable", "above the retrained models"}));
}

// A forgotten class is no loss: utility on test is that on the kept classes.
TEST(NotTested, ForgottenClassesAreNoUtility) {
  KnownMethods folder(1);
  for (const char* split : {"retain", "test"}) {
    std::vector<std::int64_t> labels = folder.array(std::string("labels/") + split).integers();
    for (auto& label : labels) label = split == std::string("retain") && label == 0 ? 1 : label;
    folder.put_labels(split, labels);
  }
  folder.put_labels("forget", std::vector<std::int64_t>(150, 0));
  const Verdict verdict = answer_of(audit_of(folder), "copy");
  bool kept = false;
  for (const VerdictTest& test : verdict.tests) {
    EXPECT_NE(test.metric, "utility.accuracy.test");
    kept = kept || test.metric == "utility.accuracy.test.kept_classes";
  }
  EXPECT_TRUE(kept);
}

TEST(NotTested, HeadlinesDoNotReassureWithoutARetrainedModel) {
  words::Judged judged;
  judged.methods = 1;
  judged.only = "ssd";
  judged.alone = true;
  judged.words[Word::not_decided] = 1;
  EXPECT_EQ(words::headline(judged),
            "ssd is not decided: without a retrained model forgetting cannot be shown");
}

}  // namespace
}  // namespace vestige::audit
