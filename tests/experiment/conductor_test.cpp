// A conductor without a command line: the whole course, workers and followers, failures.
#include "vestige/experiment/conductor.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/base/file.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;
using testing::alone;
using testing::error_of;
using testing::holds;
using testing::quiet_settings;
using testing::TemporaryFolder;
using testing::tiny_recipe;

TEST(Conductor, LeavesResultsPageAndTables) {
  const TemporaryFolder folder;
  EXPECT_EQ(Conductor(quiet_settings(folder, tiny_recipe()), alone()).run(), 0);
  const Json results = Json::parse(read_file(folder / "out/results.json"));
  EXPECT_EQ(results.at("bench").at("recipe"), "tiny");
  for (const char* file : {"report.html", "tables/methods.csv", "evidence/main-1/evidence.toml"}) {
    EXPECT_TRUE(fs::exists(folder / "out" / file)) << file;
  }
}

TEST(Conductor, LeavesAForeignFolderAlone) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "out");
  write_file(folder / "out" / "thesis.txt", "three years");
  const std::string error =
      error_of([&] { Conductor(quiet_settings(folder, tiny_recipe()), alone()).run(); });
  EXPECT_TRUE(holds(error, {"out", "another --out"}));
  EXPECT_FALSE(fs::exists(folder / "pool"));
}

TEST(Conductor, SaysWhatTheCrewSays) {
  const TemporaryFolder folder;
  Crew crew = alone();
  crew.work_off = [](pool::Store& store, std::span<const pool::Job> jobs, std::int64_t threads) {
    return alone().work_off(store, jobs, threads) + 2;  // as if a job had failed
  };
  EXPECT_EQ(Conductor(quiet_settings(folder, tiny_recipe()), crew).run(), 2);
}

TEST(Conductor, AWorkerWritesNothingButModels) {
  const TemporaryFolder folder;
  Crew crew = alone();
  crew.part = Part::worker;
  EXPECT_EQ(Conductor(quiet_settings(folder, tiny_recipe()), crew).run(), 0);
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_EQ(pool::Store(folder / "pool").entries().size(), 3U);
}

// A follower goes on with the rows that the leader found, as it does under mpirun.
TEST(Conductor, AFollowerWaitsForTheLeadersSearch) {
  const TemporaryFolder folder;
  const Json recipe = tiny_recipe("[[arms]]\nname = 'hard'\nhardest = {rounds = 1}\n");
  Crew follower = alone();
  follower.part = Part::follower;
  int searched = 0;
  follower.work_off = [&](pool::Store&, std::span<const pool::Job>, std::int64_t) {
    ++searched;
    return 0;
  };
  std::thread following([&] { Conductor(quiet_settings(folder, recipe), follower).run(); });
  const int code = Conductor(quiet_settings(folder, recipe), alone()).run();
  following.join();
  EXPECT_EQ(code, 0);
  // Once for the search and once for the experiment, or only for that if the leader was faster.
  EXPECT_GE(searched, 1);
  const std::string rows = read_file(folder / "out/hardest/hard-1.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 12);
}

}  // namespace
}  // namespace vestige::experiment
