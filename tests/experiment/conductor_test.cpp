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

TEST(Conductor, KeepsTheResultsOfAnotherExperiment) {
  const TemporaryFolder folder;
  ASSERT_EQ(Conductor(quiet_settings(folder, tiny_recipe()), alone()).run(), 0);
  const std::string results = read_file(folder / "out/results.json");
  ConductorSettings other = quiet_settings(folder, tiny_recipe());
  other.request.settings = {"seed=2"};
  const std::string error = error_of([&] { Conductor(other, alone()).run(); });
  EXPECT_TRUE(holds(error, {"another experiment", "seeds.0 is 1 there and 2 here", "--force"}))
      << error;
  EXPECT_EQ(read_file(folder / "out/results.json"), results);
  ConductorSettings longer = quiet_settings(folder, tiny_recipe());
  longer.request.settings = {"train.epochs=2"};
  EXPECT_TRUE(holds(error_of([&] { Conductor(longer, alone()).run(); }),
                    {"train.epochs is 1 there and 2 here"}));
  // The same again, from another pool and with other words, is the same.
  ConductorSettings same = quiet_settings(folder, tiny_recipe());
  same.command = "again";
  EXPECT_EQ(Conductor(same, alone()).run(), 0);
  other.force = true;
  EXPECT_EQ(Conductor(other, alone()).run(), 0);
  EXPECT_EQ(Json::parse(read_file(folder / "out/results.json")).at("run").at("seed"), 2);
}

TEST(Conductor, FailedRunsAreRows) {
  const TemporaryFolder folder;
  Json recipe = tiny_recipe();
  write_file(folder / "unlearn.sh", "echo run >> " + (folder / "log").string() + "; exit 3\n");
  recipe["pool"]["original"] = 2;
  recipe["methods"].push_back({{"name", "external"},
                               {"label", "mine"},
                               {"command", "sh " + (folder / "unlearn.sh").string()}});
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Conductor(quiet_settings(folder, recipe), alone()).run(), 2);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(holds(said, {"mine, variant main: 2 of 2 runs failed", "code 3"})) << said;
  const Json runs =
      Json::parse(read_file(folder / "out/results.json")).at("bench").at("failed_runs");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].at("method"), "mine");
  EXPECT_EQ(runs[0].at("failed"), 2);
  EXPECT_NE(read_file(folder / "out/tables/failed_runs.csv").find("main,mine,2,2,"),
            std::string::npos);
  // Once for each original.
  EXPECT_EQ(read_file(folder / "log"), "run\nrun\n");
  // A corrected script is another method, and its models are made.
  write_file(folder / "unlearn.sh", "cp original.safetensors unlearned.safetensors\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Conductor(quiet_settings(folder, recipe), alone()).run(), 0);
  ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(
      Json::parse(read_file(folder / "out/results.json")).at("bench").at("failed_runs").empty());
  write_file(folder / "unlearn.sh", "exit 4\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Conductor(quiet_settings(folder, recipe), alone()).run(), 2);
  EXPECT_TRUE(holds(::testing::internal::GetCapturedStderr(), {"code 4"}));
}

TEST(Conductor, TuningByAnotherMetricIsAnotherAnswer) {
  const TemporaryFolder folder;
  Json recipe = tiny_recipe();
  recipe["methods"] = Json::array({"finetune"});
  recipe["tune"] = {{"models", 1}, {"grid", {{"finetune", {{"rate", {0.0001, 0.2}}}}}}};
  const auto tuned = [&](const std::string& metric) {
    recipe["tune"]["metric"] = metric;
    Conductor conductor(quiet_settings(folder, recipe), alone());
    const ExperimentPlan plan = conductor.plan();
    return conductor.tune(plan.variants.front(), plan.tune, folder / "tune");
  };
  const Json first = tuned("utility.gap.test");
  const Json second = tuned("utility.accuracy.test");
  EXPECT_NE(first.at("key"), second.at("key"));
  EXPECT_TRUE(holds(second.at("text").get<std::string>(), {"utility.accuracy.test"}));
  EXPECT_EQ(tuned("utility.accuracy.test"), second);
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
  crew.part = CrewPart::worker;
  EXPECT_EQ(Conductor(quiet_settings(folder, tiny_recipe()), crew).run(), 0);
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_EQ(pool::Store(folder / "pool").entries().size(), 3U);
}

// A follower goes on with the rows that the leader found, as it does under mpirun.
TEST(Conductor, AFollowerWaitsForTheLeadersSearch) {
  const TemporaryFolder folder;
  const Json recipe = tiny_recipe("[[variants]]\nname = 'hard'\nhardest = {rounds = 1}\n");
  Crew follower = alone();
  follower.part = CrewPart::follower;
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
