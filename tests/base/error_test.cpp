// The caller's errors carry their text and their kind.
#include "vestige/base/error.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace vestige {
namespace {

TEST(Error, FailFormatsTheSentence) {
  EXPECT_EQ(testing::error_of([] { fail("{} has {} columns", "a.npy", 9); }),
            "a.npy has 9 columns");
}

TEST(Error, RequireThrowsOnlyWhenTheConditionIsFalse) {
  EXPECT_NO_THROW(require(true, "never"));
  EXPECT_EQ(testing::error_of([] { require(false, "seen {}", 1); }), "seen 1");
}

TEST(Error, BracesInAnArgumentStayAsTheyAre) {
  EXPECT_EQ(testing::error_of([] { fail("{}", "{} {0}"); }), "{} {0}");
}

TEST(Error, InputErrorIsAnInvalidArgumentAndInterruptedIsNot) {
  EXPECT_THROW(fail("x"), std::invalid_argument);
  const Interrupted interrupted;
  EXPECT_EQ(
      dynamic_cast<const std::invalid_argument*>(static_cast<const std::exception*>(&interrupted)),
      nullptr);
  EXPECT_STREQ(interrupted.what(), "interrupted");
}

}  // namespace
}  // namespace vestige
