// Copies of other models have no verdict, and losses of utility are no forgetting.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/audit/known_methods.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using result::Code;
using result::reason;
using testing::holds;

void has_no_verdict(const Verdict& verdict) {
  EXPECT_EQ(verdict.word, Word::not_tested) << words::sentence(verdict);
  EXPECT_EQ(verdict.under, Outcome::not_tested);
  EXPECT_EQ(verdict.over, Outcome::not_tested);
  EXPECT_EQ(verdict.equivalent, Outcome::not_tested);
  EXPECT_EQ(verdict.utility_loss, Outcome::not_tested);
  EXPECT_TRUE(verdict.tests.empty());
  EXPECT_EQ(verdict.form, Form::none);
}

// A retrained model under the name of a method was FORGOTTEN: it was compared with itself.
TEST(VerdictCopies, ARetrainedModelUnderAnotherNameHasNone) {
  const Verdict verdict = answer_after("copy", 1, [](EvidenceFolder& folder) {
    folder.copy_model("retrained/0", "unlearned/copy/0");
  });
  has_no_verdict(verdict);
  EXPECT_EQ(verdict.same_as, "retrained/0");
  const std::vector<std::string> others = {"forget", "retain", "test"};
  EXPECT_EQ(verdict.obstacle,
            reason(Code::about_file, "unlearned/copy/0/calibration.npy",
                   reason(Code::same_values, "retrained/0/calibration.npy", others,
                          reason(Code::unlearned_is_retrained, "retrained/0"),
                          std::vector<std::string>{})));
  EXPECT_EQ(words::limits(verdict).find("no unseen examples"), std::string::npos)
      << words::limits(verdict);
}

// One of three models is a copy, or forget rows alone are.
TEST(VerdictCopies, OneCopyIsEnough) {
  has_no_verdict(answer_after("copy", 3, [](EvidenceFolder& folder) {
    folder.copy_model("retrained/2", "unlearned/copy/1");
  }));
  const Verdict mixed = answer_after("nothing", 1, [](EvidenceFolder& folder) {
    folder.put("unlearned/nothing/0/forget", folder.array("retrained/0/forget"));
  });
  has_no_verdict(mixed);
  EXPECT_TRUE(holds(words::text(mixed.obstacle),
                    {"unlearned/nothing/0/forget.npy", "files were mixed up"}));
}

TEST(VerdictCopies, AnOriginalThatIsARetrainedModelLeavesNone) {
  const Verdict verdict = answer_after(
      "copy", 1, [](EvidenceFolder& folder) { folder.copy_model("original/0", "retrained/0"); });
  has_no_verdict(verdict);
  EXPECT_TRUE(
      holds(words::text(verdict.obstacle), {"retrained/0/calibration.npy has exactly the values of "
                                            "original/0/calibration.npy"}));
}

// Two equal retrained models are one: verdict and limits are those of evidence without the second.
TEST(VerdictCopies, NothingIsGainedFromATwin) {
  KnownMethods once(2), twice(2);
  for (const std::string& split : kSplits) once.remove("retrained/1/" + split);
  twice.copy_model("retrained/0", "retrained/1");
  const Verdict one = answer_of(audit_of(once), "copy"), two = answer_of(audit_of(twice), "copy");
  EXPECT_EQ(words::sentence(two), words::sentence(one));
  EXPECT_EQ(words::limits(two), words::limits(one));
  ASSERT_EQ(two.tests.size(), one.tests.size());
  for (std::size_t i = 0; i < one.tests.size(); ++i) {
    EXPECT_EQ(two.tests[i].difference.lower, one.tests[i].difference.lower);
    EXPECT_EQ(two.tests[i].difference.upper, one.tests[i].difference.upper);
  }
}

/// `share` of the rows of every split of the method answered with the next class.
void spoil(EvidenceFolder& folder, const std::string& method, std::size_t models, double share) {
  for (std::size_t model = 0; model < models; ++model) {
    for (const std::string& split : kSplits) {
      const auto labels = folder.array("labels/" + split).integers();
      const std::string key = "unlearned/" + method + "/" + std::to_string(model) + "/" + split;
      folder.change(key, [&](std::vector<double>& values) {
        Stream stream(model, "spoil." + split);
        for (std::size_t row = 0; row < labels.size(); ++row) {
          if (stream.uniform() < share)
            values[row * 5 + static_cast<std::size_t>((labels[row] + 1) % 5)] = 20;
        }
      });
    }
  }
}

// Worse on everything is worse on forget rows too. With several models accuracy on forget rows
// alone was read as over-forgetting, whatever became of rows that nobody saw.
TEST(VerdictCopies, WorseOnEverythingIsNotOverForgotten) {
  const Verdict verdict =
      answer_after("copy", 5, [](EvidenceFolder& folder) { spoil(folder, "copy", 5, 0.3); });
  EXPECT_NE(verdict.over, Outcome::shown) << words::sentence(verdict);
  EXPECT_EQ(verdict.utility_loss, Outcome::shown) << words::sentence(verdict);
  EXPECT_TRUE(std::any_of(verdict.tests.begin(), verdict.tests.end(), [](const VerdictTest& test) {
    return test.metric == "utility.accuracy.forget" && test.shows == Leaning::none &&
           test.quantity == Quantity::value_beyond;
  })) << words::sentence(verdict);
}

// A loss that one model shows is shown by two and by three: Welch's t over as few models has two to
// four degrees of freedom, and called the same models FORGOTTEN.
TEST(VerdictCopies, MoreModelsDoNotHideALossOfUtility) {
  for (const std::size_t models : {1U, 2U, 3U}) {
    const Verdict verdict = answer_after(
        "copy", models, [models](EvidenceFolder& folder) { spoil(folder, "copy", models, 0.12); });
    EXPECT_EQ(verdict.utility_loss, Outcome::shown) << models << ": " << words::sentence(verdict);
    EXPECT_NE(verdict.word, Word::forgotten) << models << ": " << words::sentence(verdict);
  }
}

}  // namespace
}  // namespace vestige::audit
