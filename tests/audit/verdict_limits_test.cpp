// Verdicts without what they need: unseen rows, retrained models, the original, enough rows.
#include <gtest/gtest.h>

#include <map>

#include "tests/audit/known_methods.h"

namespace vestige::audit {
namespace {

using testing::holds;

// Without rows that nobody saw, one retrained model shows nothing.
TEST(VerdictLimits, WithoutUnseenRowsOneRetrainedModelShowsNothing) {
  KnownMethods folder(1);
  for (const auto& [key, array] : std::map(folder.arrays())) {
    if (key.ends_with("/test")) folder.remove(key);
  }
  const Verdict nothing = answer_of(audit_of(folder), "nothing");
  EXPECT_EQ(nothing.under, Shown::inconclusive) << nothing.sentence;
  EXPECT_EQ(nothing.word, Word::not_decided);
  EXPECT_TRUE(holds(nothing.sentence, {"rows that nobody saw"}));
}

// Forget rows are a random draw here: the model alone can be accused, and never acquitted.
TEST(VerdictLimits, AloneWhereForgetRowsAreARandomDraw) {
  KnownMethods folder(1);
  folder.copy_model("retrained/0", "unlearned/fresh/0");
  folder.remove_below("retrained");
  folder.put_file("evidence.toml", "kind = \"logits\"\nexchangeable = true\n");
  const AuditResult result = audit_of(folder);
  const Verdict nothing = answer_of(result, "nothing"), fresh = answer_of(result, "fresh");
  EXPECT_EQ(nothing.word, Word::traces) << nothing.sentence;
  EXPECT_EQ(nothing.form, Form::alone);
  EXPECT_EQ(fresh.word, Word::not_decided) << fresh.sentence;
  EXPECT_NE(fresh.equivalent, Shown::shown);
  EXPECT_TRUE(holds(fresh.sentence, {"no trace found above", "of the original's"}));
}

TEST(VerdictLimits, WithoutRetrainedThereIsNone) {
  KnownMethods folder(1);
  folder.remove_below("retrained");
  const Verdict shadows = answer_of(audit_of(folder), "nothing");
  EXPECT_EQ(shadows.under, Shown::inconclusive);
  EXPECT_TRUE(shadows.tests.empty());
  EXPECT_TRUE(holds(shadows.sentence, {"nothing: no verdict", "without a retrained model"}));
  EXPECT_TRUE(holds(shadows.cannot, {"Shadow models"}));
  folder.remove_below("shadow");
  EXPECT_TRUE(holds(answer_of(audit_of(folder), "nothing").cannot, {"unlearned model alone"}));
}

TEST(VerdictLimits, WithoutOriginalOnlyUtilityCanBeShown) {
  KnownMethods folder(1);
  folder.remove_below("original");
  const AuditResult result = audit_of(folder);
  EXPECT_TRUE(holds(answer_of(result, "nothing").sentence, {"no verdict", "without the original"}));
  const Verdict constant = answer_of(result, "constant");
  EXPECT_EQ(constant.utility_loss, Shown::shown);
  EXPECT_EQ(constant.equivalent, Shown::not_shown);
  EXPECT_TRUE(holds(constant.sentence, {"Utility is lost: retain accuracy"}));
}

// Originals that say what retrained models say: no measure sees anything, so none may speak.
TEST(VerdictLimits, MeasuresThatFailTheirControlsAreLeftOut) {
  KnownMethods folder(1);
  copy_nearly(folder, "retrained/0", "original/0");
  const Verdict verdict = answer_of(audit_of(folder), "copy");
  EXPECT_EQ(verdict.equivalent, Shown::inconclusive);
  EXPECT_TRUE(holds(verdict.sentence, {"no measure on this evidence can tell"}));
  EXPECT_TRUE(holds(verdict.cannot, {"Left out", "answered right"}));
  // Rows that nobody saw are there, and must not be called missing.
  EXPECT_EQ(verdict.cannot.find("no rows that nobody saw"), std::string::npos) << verdict.cannot;
}

EvidenceShape without_methods(std::size_t forget_rows) {
  EvidenceShape small = known_shape(2);
  small.forget = forget_rows;
  small.methods = {};
  return small;
}

/// retrained/1 as a method: a fresh model that never saw the rows.
struct Fresh : EvidenceFolder {
  explicit Fresh(std::size_t forget_rows) : EvidenceFolder(without_methods(forget_rows)) {
    copy_model("retrained/1", "unlearned/fresh/0");
    for (const char* model : {"retrained/1", "original/1"}) remove_below(model);
  }
};

TEST(VerdictLimits, NoiseIsInconclusive) {
  const Verdict verdict = answer_of(audit_of(Fresh(40)), "fresh");
  EXPECT_NE(verdict.under, Shown::shown) << verdict.sentence;
  EXPECT_NE(verdict.over, Shown::shown) << verdict.sentence;
  EXPECT_EQ(verdict.equivalent, Shown::inconclusive) << verdict.sentence;
  EXPECT_TRUE(
      holds(verdict.sentence, {"not decided", "failing to find a difference is not forgetting"}));
  EXPECT_TRUE(holds(verdict.cannot, {"One retrained model"}));
}

// The interval of CR over rows takes the threshold q as fixed. Where q comes from few calibration
// rows it moves CR far more than that: with 200 of them this fresh model's CR differed "by test".
TEST(VerdictLimits, CalibrationNoiseIsNoFinding) {
  const Verdict verdict = answer_of(audit_of(Fresh(400)), "fresh");
  EXPECT_NE(verdict.under, Shown::shown) << verdict.sentence;
  EXPECT_NE(verdict.over, Shown::shown) << verdict.sentence;
}

TEST(VerdictLimits, AWiderMarginMayShowEquivalence) {
  const Fresh folder(400);
  const Verdict narrow = answer_of(audit_of(folder, {{"verdict.margin", 0.02}}), "fresh");
  EXPECT_EQ(narrow.equivalent, Shown::inconclusive) << narrow.sentence;
  const Verdict wide = answer_of(audit_of(folder, {{"verdict.margin", 0.6}}), "fresh");
  EXPECT_EQ(wide.equivalent, Shown::shown) << wide.sentence;
  EXPECT_TRUE(holds(wide.sentence, {"0.6 times the distance"}));
}

}  // namespace
}  // namespace vestige::audit
