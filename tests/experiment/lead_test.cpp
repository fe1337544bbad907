// Who leads where nobody is rank 0: the elements of a job array.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/pool/lock.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

class LeadTest : public ::testing::Test {
 protected:
  /// One element of an array, from its start to its end.
  int element() {
    Crew crew = testing::alone();
    crew.part = CrewPart::follower;
    crew.elected = true;
    return Conductor(testing::quiet_settings(folder_, testing::tiny_recipe()), crew).run();
  }
  fs::path results() const { return folder_ / "out" / "results.json"; }

  testing::TemporaryFolder folder_;
};

TEST_F(LeadTest, WhoeverComesFirstLeadsAndGivesTheLeadBack) {
  EXPECT_EQ(element(), 0);
  EXPECT_TRUE(fs::exists(results()));
  EXPECT_FALSE(fs::exists(folder_ / "out.lock"));
}

TEST_F(LeadTest, ALivingLeaderIsLeftToIt) {
  {
    const auto lock = pool::Lock::try_claim(folder_.path(), "out", {.heartbeat_seconds = 0.8});
    ASSERT_TRUE(lock);
    // It helps with the models, hears the leader's heart, and ends.
    EXPECT_EQ(element(), 0);
    EXPECT_FALSE(fs::exists(results()));
    EXPECT_TRUE(lock->held());
  }
  EXPECT_EQ(element(), 0);
  EXPECT_TRUE(fs::exists(results()));
}

TEST_F(LeadTest, ADeadLeadersPlaceIsTaken) {
  // Of another machine, and not renewed for longer than a minute.
  std::ofstream(folder_ / "out.lock")
      << R"({"host":"elsewhere-0","pid":1,"start":"1","label":"the results"})";
  fs::last_write_time(folder_ / "out.lock",
                      fs::file_time_type::clock::now() - std::chrono::seconds(58));
  // It is not stale yet at the start: the element waits for a sign of life that does not come.
  EXPECT_EQ(element(), 0);
  EXPECT_TRUE(fs::exists(results()));
  EXPECT_FALSE(fs::exists(folder_ / "out.lock"));
}

}  // namespace
}  // namespace vestige::experiment
