// What evidence could show.
#include "vestige/audit/power.h"

#include <gtest/gtest.h>

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

// Four times the rows, or four times the models, halve the smallest trace.
TEST(Power, GrowsWithRowsAndModels) {
  const auto base = power_of(2, 200), rows = power_of(2, 800), models = power_of(8, 200);
  ASSERT_TRUE(base && rows && models);
  EXPECT_NEAR(rows->smallest_trace / base->smallest_trace, 0.5, 0.1);
  EXPECT_NEAR(models->smallest_trace / base->smallest_trace, 0.5, 0.1);
  EXPECT_NEAR(static_cast<double>(models->models_needed), static_cast<double>(base->models_needed),
              0.3 * static_cast<double>(base->models_needed) + 1);
}

TEST(Power, NeedsBothControlsAndUnseenRows) {
  EvidenceFolder folder(EvidenceShape{.models = 1, .methods = {}});
  folder.remove("labels/test");
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
