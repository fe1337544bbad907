// What evidence could show.
#include "vestige/audit/verdicts/power.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/audit/known_models.h"
#include "tests/support/evidence_folder.h"
#include "vestige/evidence/reader.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using result::Code;
using result::reason;
using testing::EvidenceFolder;
using testing::EvidenceShape;

std::optional<Power> power_of(std::size_t models, std::size_t forget) {
  const EvidenceFolder folder(EvidenceShape{
      .classes = 4, .models = models, .forget = forget, .retain = 50, .test = 2 * forget});
  return power(evidence::load(folder.path()).evidence);
}

// Four times the examples halve the smallest trace; more models make it smaller too.
TEST(Power, GrowsWithRowsAndModels) {
  const auto base = power_of(2, 200), rows = power_of(2, 800), models = power_of(8, 200);
  ASSERT_TRUE(base && rows && models);
  EXPECT_NEAR(rows->smallest_trace / base->smallest_trace, 0.5, 0.1);
  EXPECT_LT(models->smallest_trace, 0.8 * base->smallest_trace);
  for (const auto& each : {base, rows, models}) {
    EXPECT_EQ(each->can_show_forgetting, each->models >= each->models_needed);
    EXPECT_EQ(each->can_show_forgetting, each->forget_examples >= each->forget_needed);
  }
}

TEST(Power, NeedsUnseenRows) {
  EvidenceFolder folder(EvidenceShape{.models = 1, .methods = {}});
  for (const auto& [key, array] : std::map(folder.arrays())) {
    if (key.ends_with("/test")) folder.remove(key);
  }
  EXPECT_FALSE(power(evidence::load(folder.path()).evidence).has_value());
}

TEST(Power, SaysWhatItTakes) {
  Power few{1, 300, 0.695, false, 6, 2383, 2383};
  EXPECT_EQ(reasons(few), (result::Reasons{reason(Code::smallest_detectable_trace, 0.7),
                                           reason(Code::forgetting_needs_more, 6, 2383, 2383)}));
  EXPECT_EQ(words::sentences(reasons(few)),
            "A method that keeps 70 % of what the original memorised would be detected 9 times in "
            "10. To be able to conclude FORGOTTEN you need about 6 retrained and 6 unlearned "
            "models, or about 2,400 forget and 2,400 test examples.");
  few.can_show_forgetting = true;
  EXPECT_EQ(reasons(few).at(1).code, Code::forgetting_can_be_shown);
}

// One model per group: with 25 forget examples of known.npz no original is ever detected, with all
// 900 every original is (docs/validation/error-rates.md).
TEST(Power, SaysThatAnOriginalWouldBeMissed) {
  KnownModels few;
  few.forget_rows = 25;
  std::mt19937_64 generator(1);
  const auto missed = power(draw(few, 1, generator)), detected = power(draw(known(), 1, generator));
  ASSERT_TRUE(missed && detected);
  EXPECT_EQ(reasons(*missed).front().code, Code::original_may_be_missed);
  EXPECT_EQ(reasons(*detected).front().code, Code::smallest_detectable_trace);
}

}  // namespace
}  // namespace vestige::audit
