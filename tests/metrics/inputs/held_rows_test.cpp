// Families that must hold rows as a whole say so before they begin, with the rows they take.
#include "vestige/metrics/inputs/held_rows.h"

#include <gtest/gtest.h>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/base/error.h"
#include "vestige/base/memory.h"
#include "vestige/evidence/reader.h"

namespace vestige::metrics {
namespace {

struct HeldLimit {
  explicit HeldLimit(double gigabytes) { set_memory(gigabytes); }
  ~HeldLimit() { set_memory(kDefaultMemory); }
};

// By hand: ImageNet's 1,331,167 rows of 1,000 classes are 10.65 GB of doubles; 4 GB hold 500,000.
TEST(HeldRows, SaysHowManyRowsItWouldTake) {
  EXPECT_EQ(beyond_memory("the outputs of a model", 500'000, 1000), "");
  EXPECT_EQ(beyond_memory("the outputs of a model", 1'331'167, 1000),
            "would hold the outputs of a model at once, 1331167 rows of 1000 columns or 10.6 GB: "
            "it takes at most 500000 such rows in the 4 GB that it is given; export fewer rows, or "
            "give --memory 11");
}

// Small evidence: forget 40, retain 80, test 50, calibration 50 rows of 10 classes. miau holds
// 40 + 40 + 80 + 50 = 210 rows or 16,800 bytes, conformal 40 + 50 + 50 + 50 = 190 or 15,200.
TEST(HeldRows, FamiliesThatHoldRowsAreLeftOutBeforeTheyBegin) {
  const testing::EvidenceFolder folder{testing::EvidenceShape{}};
  const evidence::Evidence evidence = evidence::load(folder.path()).evidence;
  const auto supported = [&](std::string_view family) {
    for (const audit::FamilySupport& line : audit::support(evidence)) {
      if (line.family == family) return line.support.supported;
    }
    return false;
  };
  EXPECT_TRUE(supported("miau"));
  EXPECT_TRUE(supported("conformal"));
  {
    const HeldLimit limit(16.0e-6);
    EXPECT_FALSE(supported("miau"));
    EXPECT_TRUE(supported("conformal"));
    EXPECT_THROW(audit::audit(evidence, {.metrics = {"miau"}}), InputError);
  }
  const HeldLimit limit(15.1e-6);
  EXPECT_FALSE(supported("conformal"));
  for (const char* family : {"utility", "closeness", "klom", "mia", "attacks", "iam", "smi"}) {
    EXPECT_TRUE(supported(family)) << family << " reads rows in blocks";
  }
}

}  // namespace
}  // namespace vestige::metrics
