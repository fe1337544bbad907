// Verdicts without what they need: unseen rows, retrained models, the original, enough rows.
#include <gtest/gtest.h>

#include <map>

#include "tests/audit/known_methods.h"
#include "vestige/words/verdicts.h"

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
  EXPECT_EQ(nothing.under, Outcome::not_tested) << words::sentence(nothing);
  EXPECT_EQ(nothing.word, Word::not_tested);
  EXPECT_TRUE(holds(words::sentence(nothing), {"unseen examples"}));
}

// Forget rows are a random draw here: the model alone can show traces, and never their absence.
TEST(VerdictLimits, AloneWhereForgetRowsAreARandomDraw) {
  KnownMethods folder(1);
  folder.copy_model("retrained/0", "unlearned/fresh/0");
  folder.remove_below("retrained");
  folder.put_file("evidence.toml", "kind = \"logits\"\nexchangeable = true\n");
  const AuditResult result = audit_of(folder);
  const Verdict nothing = answer_of(result, "nothing"), fresh = answer_of(result, "fresh");
  EXPECT_EQ(nothing.word, Word::traces_remain) << words::sentence(nothing);
  EXPECT_EQ(nothing.form, Form::alone);
  EXPECT_EQ(fresh.word, Word::not_decided) << words::sentence(fresh);
  EXPECT_NE(fresh.equivalent, Outcome::shown);
  EXPECT_TRUE(holds(words::sentence(fresh), {"No trace above", "of the original's"}));
}

TEST(VerdictLimits, WithoutRetrainedThereIsNone) {
  KnownMethods folder(1);
  folder.remove_below("retrained");
  const Verdict shadows = answer_of(audit_of(folder), "nothing");
  EXPECT_EQ(shadows.under, Outcome::not_tested);
  EXPECT_TRUE(shadows.tests.empty());
  EXPECT_TRUE(holds(words::sentence(shadows), {"nothing: not tested", "no retrained model"}));
  EXPECT_TRUE(holds(words::limits(shadows), {"Shadow models"}));
  folder.remove_below("shadow");
  EXPECT_TRUE(
      holds(words::limits(answer_of(audit_of(folder), "nothing")), {"Only the unlearned model"}));
}

TEST(VerdictLimits, WithoutOriginalOnlyUtilityCanBeShown) {
  KnownMethods folder(1);
  folder.remove_below("original");
  const AuditResult result = audit_of(folder);
  EXPECT_TRUE(
      holds(words::sentence(answer_of(result, "nothing")), {"not tested", "no original model"}));
  const Verdict constant = answer_of(result, "constant");
  EXPECT_EQ(constant.utility_loss, Outcome::shown);
  EXPECT_EQ(constant.equivalent, Outcome::excluded);
  EXPECT_TRUE(holds(words::sentence(constant), {"Utility is lost: accuracy on the retain set"}));
}

// Originals that say what retrained models say: no measure sees anything, so none may speak.
TEST(VerdictLimits, MeasuresThatFailTheirControlsAreLeftOut) {
  KnownMethods folder(1);
  copy_nearly(folder, "retrained/0", "original/0");
  const Verdict verdict = answer_of(audit_of(folder), "copy");
  EXPECT_EQ(verdict.equivalent, Outcome::not_tested);
  EXPECT_TRUE(holds(words::sentence(verdict), {"No metric on this evidence tells"}));
  EXPECT_TRUE(holds(words::limits(verdict), {"Left out", "gap to unseen examples in accuracy"}));
  // Rows that nobody saw are there, and must not be called missing.
  EXPECT_EQ(words::limits(verdict).find("no unseen examples"), std::string::npos)
      << words::limits(verdict);
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
  EXPECT_NE(verdict.under, Outcome::shown) << words::sentence(verdict);
  EXPECT_NE(verdict.over, Outcome::shown) << words::sentence(verdict);
  EXPECT_EQ(verdict.equivalent, Outcome::undecided) << words::sentence(verdict);
  EXPECT_TRUE(holds(words::sentence(verdict),
                    {"not decided", "Failing to find a difference is not forgetting"}));
  EXPECT_TRUE(holds(words::limits(verdict), {"nly one retrained model"}));
}

// The interval of CR over rows takes the threshold q as fixed. Where q comes from few calibration
// rows it moves CR far more than that: with 200 of them this fresh model's CR differed "by test".
TEST(VerdictLimits, CalibrationNoiseIsNoFinding) {
  const Verdict verdict = answer_of(audit_of(Fresh(400)), "fresh");
  EXPECT_NE(verdict.under, Outcome::shown) << words::sentence(verdict);
  EXPECT_NE(verdict.over, Outcome::shown) << words::sentence(verdict);
}

TEST(VerdictLimits, AWiderMarginMayShowEquivalence) {
  const Fresh folder(400);
  const Verdict narrow = answer_of(audit_of(folder, {{"verdict.margin", 0.02}}), "fresh");
  EXPECT_EQ(narrow.equivalent, Outcome::undecided) << words::sentence(narrow);
  const Verdict wide = answer_of(
      audit_of(folder, {{"verdict.margin", 0.6}, {"verdict.utility_margin", 0.05}}), "fresh");
  EXPECT_EQ(wide.equivalent, Outcome::shown) << words::sentence(wide);
  EXPECT_TRUE(holds(words::sentence(wide), {"60 % of the original-retrained difference"}));
}

}  // namespace
}  // namespace vestige::audit
