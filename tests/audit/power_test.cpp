// What evidence could show.
#include "vestige/audit/power.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/evidence_folder.h"
#include "vestige/evidence/reader.h"

namespace vestige::audit {
namespace {

using testing::EvidenceFolder;
using testing::EvidenceShape;

std::optional<Power> power_of(std::size_t models, std::size_t forget) {
  const EvidenceFolder folder(EvidenceShape{
      .classes = 4, .models = models, .forget = forget, .retain = 50, .test = 2 * forget});
  return power(evidence::load(folder.path()).evidence);
}

// Four times the rows halve the smallest trace; more models make it smaller too.
TEST(Power, GrowsWithRowsAndModels) {
  const auto base = power_of(2, 200), rows = power_of(2, 800), models = power_of(8, 200);
  ASSERT_TRUE(base && rows && models);
  EXPECT_NEAR(rows->smallest_trace / base->smallest_trace, 0.5, 0.1);
  EXPECT_LT(models->smallest_trace, 0.8 * base->smallest_trace);
  for (const auto& each : {base, rows, models}) {
    EXPECT_EQ(each->can_show_forgetting, each->models >= each->models_needed);
    EXPECT_EQ(each->can_show_forgetting, each->forget_rows >= each->rows_needed);
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
  Power few{1, 50, 0.8, false, 7, 350};
  EXPECT_TRUE(testing::holds(sentence(few), {"80 %", "takes 7 models a side", "350 forget rows"}));
  few.can_show_forgetting = true;
  EXPECT_TRUE(testing::holds(sentence(few), {"can be shown"}));
}

}  // namespace
}  // namespace vestige::audit
