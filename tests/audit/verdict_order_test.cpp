// Rows in another order than their labels: no verdict, or one with a caution.
#include <gtest/gtest.h>

#include "tests/audit/known_methods.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using testing::holds;

TEST(VerdictOrder, AScrambledModelHasNone) {
  KnownMethods folder(1);
  for (const std::string& split : kSplits) shift_rows(folder, "unlearned/copy/0/" + split, 5);
  const Verdict verdict = answer_of(audit_of(folder), "copy");
  EXPECT_EQ(verdict.word, Word::not_tested) << words::sentence(verdict);
  EXPECT_NE(verdict.under, Outcome::shown);
  EXPECT_NE(verdict.over, Outcome::shown);
  EXPECT_TRUE(holds(words::sentence(verdict), {"another order"}));
}

/// The verdict of `copy` after rows of a split of some models were put into another order.
Verdict with_shifted(const std::string& model, const std::string& split) {
  KnownMethods folder(1);
  shift_rows(folder, model + "/" + split, 5);
  return answer_of(audit_of(folder), "copy");
}

// Test rows in another order make every forgotten row look known: it was "traces remain".
TEST(VerdictOrder, UnseenRowsInAnotherOrderLeaveNone) {
  const Verdict verdict = with_shifted("unlearned/copy/0", "test");
  EXPECT_EQ(verdict.word, Word::not_tested) << words::sentence(verdict);
  EXPECT_TRUE(verdict.tests.empty());
  EXPECT_TRUE(holds(words::text(verdict.obstacle),
                    {"unlearned/copy/0/test.npy is probably in another order than labels/test"}));
  for (const char* model : {"original/0", "retrained/0"}) {
    for (const std::string split : {"forget", "test"}) {
      const Verdict other = with_shifted(model, split);
      EXPECT_EQ(other.word, Word::not_tested) << words::sentence(other);
      EXPECT_TRUE(holds(words::text(other.obstacle),
                        {std::string(model) + "/" + split + ".npy is probably in another order"}));
    }
  }
}

// Forget rows of the method alone may be over-forgotten or in another order: both are said.
TEST(VerdictOrder, ForgetRowsInAnotherOrderAreDoubted) {
  const Verdict verdict = with_shifted("unlearned/copy/0", "forget");
  EXPECT_EQ(verdict.word, Word::over_forgotten) << words::sentence(verdict);
  EXPECT_TRUE(holds(words::sentence(verdict),
                    {"its forget file look like rows in another order", "W-ORDER"}));
}

}  // namespace
}  // namespace vestige::audit
