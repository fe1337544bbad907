// Learning-rate schedules against values worked out by hand.
#include "vestige/train/schedule.h"

#include <gtest/gtest.h>

namespace vestige::train {
namespace {

ScheduleSettings schedule(const char* kind) {
  ScheduleSettings settings;
  settings.kind = kind;
  return settings;
}

TEST(Schedule, Cosine) {
  EXPECT_DOUBLE_EQ(rate_factor(schedule("cosine"), 0, 10), 1);
  EXPECT_NEAR(rate_factor(schedule("cosine"), 5, 10), 0.5, 1e-15);  // cos(pi / 2) = 0
  EXPECT_NEAR(rate_factor(schedule("cosine"), 2.5, 10), 0.8535533905932737, 1e-15);
  EXPECT_NEAR(rate_factor(schedule("cosine"), 10, 10), 0, 1e-15);
}

// MultiStepLR.step(epoch) with epochs 1, 2, ..., as the code that MIAU builds on calls it:
// milestone 8 acts on the eighth epoch.
TEST(Schedule, MilestonesMayCountFromOne) {
  ScheduleSettings settings = schedule("multi_step");
  settings.milestones = {8, 12};
  settings.gamma = 0.2;
  EXPECT_DOUBLE_EQ(rate_factor(settings, 7, 20), 1);
  settings.first_epoch = 1;
  EXPECT_DOUBLE_EQ(rate_factor(settings, 6.99, 20), 1);
  EXPECT_DOUBLE_EQ(rate_factor(settings, 7, 20), 0.2);
  EXPECT_NEAR(rate_factor(settings, 11, 20), 0.04, 1e-15);
}

TEST(Schedule, MultiStepWithWarmUp) {
  ScheduleSettings settings = schedule("multi_step");
  settings.milestones = {8, 12};
  settings.gamma = 0.2;
  settings.warmup_epochs = 1;
  EXPECT_DOUBLE_EQ(rate_factor(settings, 0.25, 20), 0.25);
  EXPECT_DOUBLE_EQ(rate_factor(settings, 1, 20), 1);
  EXPECT_DOUBLE_EQ(rate_factor(settings, 8, 20), 0.2);
  EXPECT_NEAR(rate_factor(settings, 12, 20), 0.04, 1e-15);
}

TEST(Schedule, LinearConstantAndOneCycle) {
  EXPECT_DOUBLE_EQ(rate_factor(schedule("linear"), 5, 20), 0.75);
  EXPECT_DOUBLE_EQ(rate_factor(schedule("constant"), 5, 20), 1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule("one_cycle"), 0, 10), 0.04);  // PyTorch: 1 / 25
  EXPECT_NEAR(rate_factor(schedule("one_cycle"), 3, 10), 1, 1e-12);   // the top at 30 %
  EXPECT_NEAR(rate_factor(schedule("one_cycle"), 10, 10), 4e-6, 1e-12);
}

}  // namespace
}  // namespace vestige::train
