// Families that must hold rows as a whole say so before they begin, with the rows they take.
#include "vestige/metrics/inputs/held_rows.h"

#include <gtest/gtest.h>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/evidence/reader.h"
#include "vestige/words/words.h"

namespace vestige::metrics {
namespace {

// By hand: ImageNet's 1,331,167 rows of 1,000 classes are 10.649336 GB of doubles; 4 GB hold
// 500,000.
TEST(HeldRows, SaysHowManyRowsItWouldTake) {
  EXPECT_TRUE(beyond_memory(Context(), "outputs", 500'000, 1000).empty());
  const Reason why = beyond_memory(Context(), "outputs", 1'331'167, 1000);
  EXPECT_EQ(why, reason(Code::exceeds_memory, "outputs", 1'331'167, 1000, 10.649336, 4.0, 500'000));
  EXPECT_EQ(words::text(why),
            "does not fit in memory: outputs of one model take 10.6 GB (1,331,167 rows of 1,000 "
            "columns), and 4 GB are allowed. Export at most 500,000 rows, or raise --memory");
}

// Small evidence: forget 40, retain 80, test 50, calibration 50 rows of 10 classes. miau holds
// 40 + 40 + 80 + 50 = 210 rows or 16,800 bytes, conformal 40 + 50 + 50 + 50 = 190 or 15,200.
TEST(HeldRows, FamiliesThatHoldRowsAreLeftOutBeforeTheyBegin) {
  const testing::EvidenceFolder folder{testing::EvidenceShape{}};
  const evidence::Evidence evidence = evidence::load(folder.path()).evidence;
  const auto supported = [&](std::string_view family, const Context& context) {
    for (const audit::FamilySupport& line : audit::support(evidence, context)) {
      if (line.family == family) return line.support.supported;
    }
    return false;
  };
  EXPECT_TRUE(supported("miau", Context()));
  EXPECT_TRUE(supported("conformal", Context()));
  const Context between({.memory = 16.0e-6});
  EXPECT_FALSE(supported("miau", between));
  EXPECT_TRUE(supported("conformal", between));
  EXPECT_THROW(audit::audit(evidence, {.metrics = {"miau"}, .context = between}), InputError);
  const Context small({.memory = 15.1e-6});
  EXPECT_FALSE(supported("conformal", small));
  for (const char* family : {"utility", "closeness", "klom", "mia", "attacks", "iam", "smi"}) {
    EXPECT_TRUE(supported(family, small)) << family << " reads rows in blocks";
  }
}

}  // namespace
}  // namespace vestige::metrics
