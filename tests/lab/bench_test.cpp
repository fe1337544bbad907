// vestige bench, tune and demo as their user meets them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include "tests/cli/vestige.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/options.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::refuses;
using testing::TemporaryFolder;
using testing::vestige;

constexpr const char* kRecipe = R"(name = "tiny"
seed = 1
data = { name = "synthetic", rows = 900, test_rows = 200, classes = 4, height = 8, width = 8 }
split = { train = 300, calibration = 100, shadow = 300 }
forget = { kind = "random", count = 40 }
model = { name = "small_cnn", width = 4 }
train = { epochs = 12, batch = 32, rate = 0.05, schedule = "cosine" }
pool = { original = 3, retrained = 3, shadow = 1 }
methods = [{ name = "finetune", epochs = 1 }, "identity", "collapse"]
[bench]
metrics = ["utility", "iam", "epsilon"]
[[variants]]
name = "random"
[[variants]]
name = "class"
set = { forget = { kind = "class", classes = [1] }, pool = { original = 3, retrained = 3 } }
[[variants]]
name = "again"
set = { bench = { metrics = ["utility"] } }
[[checks]]
finding = "a collapsed model loses its accuracy"
left = { metric = "utility.accuracy.test", method = "collapse", variant = "random" }
is = "below"
right = { metric = "utility.accuracy.test", method = "retrained", variant = "random" }
[tune.grid.finetune]
rate = [0.01, 0.1]
[tune]
models = 3
)";

class BenchTest : public ::testing::Test {
 protected:
  BenchTest() { write_file(recipe(), kRecipe); }

  std::string recipe() const { return (folder_ / "tiny.toml").string(); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  Finished bench(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"bench",    recipe(), "--pool",
                                          at("pool"), "--out",  at("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return vestige(arguments);
  }

  Json results() const { return Json::parse(read_file(folder_ / "out" / "results.json")); }

  TemporaryFolder folder_;
};

TEST_F(BenchTest, RunsResumesAndReports) {
  const Finished first = bench();
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("held"), std::string::npos) << first.out;
  const Json json = results();
  EXPECT_EQ(json.at("bench").at("findings").size(), 1U);
  EXPECT_EQ(json.at("bench").at("findings")[0].at("outcome"), "held");
  for (const char* file : {"report.html", "tables/findings.csv", "tables/methods.tex"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / file)) << file;
  }
  // Variants that differ in nothing but metrics share models and evidence.
  EXPECT_FALSE(fs::exists(folder_ / "out" / "evidence" / "again-1"));
  // Every row says which part of the experiment it comes from.
  for (const Json& row : json.at("results")) {
    ASSERT_TRUE(row.contains("variant") && row.contains("split_seed") && row.contains("audit"));
  }
  // What several audits remark stands there once, with their names.
  std::set<std::string> remarks;
  for (const Json& said : json.at("remarks")) {
    const std::string remark = said.at("reason").at("text");
    const std::size_t names = remark.find(": ");
    ASSERT_NE(names, std::string::npos);
    EXPECT_NE(remark.substr(0, names).find("(main)"), std::string::npos) << remark;
    EXPECT_TRUE(remarks.insert(remark.substr(names)).second) << remark;
  }
  EXPECT_FALSE(remarks.empty());
  // Costs are those of methods.
  EXPECT_EQ(json.at("bench").at("costs").size(), 3U);
  // The same again takes everything as it is and ends with the same numbers.
  const auto trained = fs::last_write_time(folder_ / "out" / "evidence" / "random-1");
  const Finished second = bench();
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(fs::last_write_time(folder_ / "out" / "evidence" / "random-1"), trained);
  EXPECT_EQ(results().at("results"), json.at("results"));
  // Another experiment does not take its place.
  refuses(bench({"--set", "seed=7"}), {"another experiment", "seeds.0", "--force"});
  EXPECT_EQ(results().at("results"), json.at("results"));
  // A run that lost its audits makes the same ones.
  fs::remove_all(folder_ / "out" / "audits");
  ASSERT_EQ(bench().code, 0);
  EXPECT_EQ(results().at("results"), json.at("results"));
}

TEST_F(BenchTest, DryRunEstimatesAndTrainsNothing) {
  const Finished dry = bench({"--dry-run"});
  ASSERT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.out.find("10 models to train"), std::string::npos) << dry.out;
  EXPECT_NE(dry.out.find("about"), std::string::npos) << dry.out;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_FALSE(fs::exists(folder_ / "pool"));
  // A method that fails at once is named, and does not end the estimate.
  const Finished broken =
      bench({"--dry-run", "--set", "methods=[{name=\"external\", command=\"exit 3\"}]", "--set",
             "checks=[]"});
  ASSERT_EQ(broken.code, 0) << broken.err;
  EXPECT_NE(broken.out.find("external failed on a few rows"), std::string::npos) << broken.out;
  // A grid comes before its variant, in the plan and in the estimate.
  const Finished tuned = bench({"--dry-run", "--set", "variants=[{name=\"random\", tune=true}]"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("tuning first: "), std::string::npos) << tuned.out;
}

TEST_F(BenchTest, EstimatesForDevicesThatAreNotHere) {
  const Finished dry = bench({"--dry-run", "--device", "cuda"});
  ASSERT_EQ(dry.code, 0) << dry.err;
  for (const char* part : {"on  1 GPU  about", "on  8 GPUs about", "on 64 GPUs about"}) {
    EXPECT_NE(dry.out.find(part), std::string::npos) << part << " in " << dry.out;
  }
  if (fs::exists("/dev/nvidia0")) return;
  EXPECT_NE(dry.out.find("measured on an H200"), std::string::npos) << dry.out;
  refuses(bench({"--dry-run", "--device", "cuda", "--set", "model={name=\"vit\"}"}),
          {"no CUDA device", "vit", "--device cpu"});
}

TEST_F(BenchTest, WritesTheScriptOfAnArray) {
  const std::string script = at("run.sbatch");
  const Finished written = bench({"--slurm=" + script, "--array", "3", "--threads", "2", "--set",
                                  "variants=[{name=\"it's\"}]", "--set", "checks=[]"});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_NE(written.out.find("sbatch " + script), std::string::npos) << written.out;
  const std::string text = read_file(script);
  for (const char* part : {"#SBATCH --array=0-2\n", "#SBATCH --cpus-per-task=2\n",
                           "#SBATCH --job-name=tiny-smoke\n", "'variants=[{name=\"it'\\''s\"}]'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  // What was for the script alone is not in its command.
  const std::string command = text.substr(text.find("trap again"));
  for (const char* word : {"--slurm", "--array", "--threads 2"}) {
    EXPECT_EQ(command.find(word), std::string::npos) << command;
  }
  EXPECT_FALSE(fs::exists(folder_ / "pool"));
  // People change their scripts.
  refuses(bench({"--slurm=" + script}), {script, "--force"});
  EXPECT_EQ(read_file(script), text);
  refuses(bench({"--array", "3"}), {"add --slurm"});
  refuses(bench({"--slurm=" + script, "--force", "--budget", "1h"}), {"--budget"});
}

TEST_F(BenchTest, BudgetTakesTheLargestThatFits) {
  const Finished rich = bench({"--budget", "10h", "--dry-run"});
  ASSERT_EQ(rich.code, 0) << rich.err;
  EXPECT_NE(rich.out.find("allows N = 3 models"), std::string::npos) << rich.out;
  EXPECT_FALSE(fs::exists(folder_ / "pool"));
  refuses(bench({"--budget", "0.001s"}), {"smallest form"});
  refuses(bench({"--budget", "10h", "--set", "forget.fraction=0.5"}), {"give one of the two"});
  refuses(bench({"--budget", "soon"}), {"no duration"});
}

TEST_F(BenchTest, RefusesBeforeTraining) {
  refuses(bench({"--set", "pool.retrained=1", "--set", "variants=[]", "--set", "checks=[]"}),
          {"retrained 3 or more"});
  refuses(bench({"--size", "papr"}), {"no size 'papr'"});
  refuses(bench({"--set",
                 "checks=[{finding=\"x\", left={metric=\"iam.online.auk\"}, "
                 "is=\"above\", right=0}]"}),
          {"iam.online.auc"});
  EXPECT_FALSE(fs::exists(folder_ / "pool"));
  write_file(folder_ / "out", "precious");
  refuses(bench(), {"out"});
}

TEST_F(BenchTest, LeavesForeignFoldersAlone) {
  fs::create_directories(folder_ / "out");
  write_file(folder_ / "out" / "thesis.tex", "precious");
  refuses(bench(), {"left alone"});
  EXPECT_EQ(read_file(folder_ / "out" / "thesis.tex"), "precious");
}

TEST_F(BenchTest, TunesOnASplitOfItsOwn) {
  const Finished tuned = vestige({"tune", recipe(), "--pool", at("pool"), "--out", at("tuned"),
                                  "--metric", "utility.accuracy.test"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("<- best"), std::string::npos) << tuned.out;
  // The list is what a recipe takes.
  const Json methods =
      parse_toml(read_file(folder_ / "tuned" / "tuned.toml"), "tuned.toml").at("methods");
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(methods[0].at("name"), "finetune");
  EXPECT_EQ(methods[0].at("epochs"), 1);
  // What somebody may have edited is replaced on request only.
  write_file(folder_ / "tuned" / "tuned.toml", "precious");
  const std::vector<std::string> again = {
      "tune",  recipe(),    "--pool",   at("pool"),
      "--out", at("tuned"), "--metric", "utility.accuracy.test"};
  refuses(vestige(again), {"tuned.toml exists", "--force"});
  EXPECT_EQ(read_file(folder_ / "tuned" / "tuned.toml"), "precious");
  std::vector<std::string> forced = again;
  forced.emplace_back("--force");
  EXPECT_EQ(vestige(forced).code, 0);
  EXPECT_NE(read_file(folder_ / "tuned" / "tuned.toml"), "precious");
  refuses(vestige({"tune", recipe(), "--metric", "utility.acuracy"}), {"no such metric"});
  refuses(vestige({"tune", recipe(), "--all", "--points", "10"}), {"points", "1 to 9"});
}

TEST_F(BenchTest, AllMethodsTunedIsOneCommand) {
  const Finished dry =
      vestige({"tune", recipe(), "--pool", at("pool"), "--out", at("tuned"), "--all", "--points",
               "2", "--metric", "utility.gap.forget", "--dry-run"});
  ASSERT_EQ(dry.code, 0) << dry.err;
  for (const char* part : {"utility.gap.forget, lower wins", "left out", "  finetune ", "about "}) {
    EXPECT_NE(dry.out.find(part), std::string::npos) << part << " in " << dry.out;
  }
  EXPECT_FALSE(fs::exists(folder_ / "tuned"));
  EXPECT_FALSE(fs::exists(folder_ / "pool"));
}

TEST_F(BenchTest, SearchesTheHardestRowsFirst) {
  const std::vector<std::string> more = {
      "--set", "variants=[{name=\"random\"}, {name=\"hard\", hardest={rounds=3}}]"};
  const Finished first = bench(more);
  ASSERT_EQ(first.code, 0) << first.err;
  const fs::path list = folder_ / "out" / "hardest" / "hard-1.csv";
  std::istringstream lines(read_file(list));
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; lines >> row;) rows.push_back(row);
  EXPECT_EQ(rows.size(), 40U);  // as many as [forget] says
  const auto forgotten = [&](const char* variant) {
    return evidence::read_npy(folder_ / "out" / "evidence" / variant / "ids" / "forget.npy")
        .integers();
  };
  EXPECT_EQ(forgotten("hard-1"), rows);
  EXPECT_NE(forgotten("random-1"), rows);
  // Both variants have the same originals: who is forgotten does not shape them.
  const auto originals = [&](const char* variant) {
    return read_file(folder_ / "out" / "evidence" / variant / "original/0/test.npy");
  };
  EXPECT_EQ(originals("hard-1"), originals("random-1"));
  const auto stamp = fs::last_write_time(list);
  ASSERT_EQ(bench(more).code, 0);
  EXPECT_EQ(fs::last_write_time(list), stamp);
  EXPECT_TRUE(
      refuses(bench({"--set", "variants=[{name=\"hard\", hardest={round=3}}]"}), {"round"}));
  // Tuning runs on a split of its own and so before the search.
  const Finished both = bench(
      {"--set", "variants=[{name=\"random\"}, {name=\"hard\", hardest={rounds=3}, tune=true}]",
       "--force"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(refuses(bench({"--set", "variants=[{name=\"hard\", hardest=3}]"}), {"hardest"}));
  EXPECT_TRUE(refuses(bench({"--set", "variants=[{name=\"hard\", worst_case=true}]"}),
                      {"worst_case", "now called hardest"}));
}

/// What must not depend on how the work was shared: everything but timings.
Json numbers(const fs::path& out) {
  Json rows = Json::array();
  for (const Json& row : Json::parse(read_file(out / "results.json")).at("results")) {
    if (row.at("metric") != "utility.relative_time") rows.push_back(row);
  }
  return rows;
}

TEST_F(BenchTest, MpirunEndsWithTheSameNumbers) {
  // Two phases: a variant that is tuned first.
  const std::vector<std::string> both = {"bench", recipe(), "--set",
                                         "variants=[{name=\"random\", tune=true}]"};
  std::vector<std::string> ranks = {"-n", "2", "--oversubscribe", VESTIGE_BINARY_DIR "/vestige"};
  ranks.insert(ranks.end(), both.begin(), both.end());
  ranks.insert(ranks.end(), {"--pool", at("ranks"), "--out", at("shared")});
  const Finished shared = testing::run_program("/usr/bin/mpirun", ranks, {.in_child = [] {
                                                 ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
                                                 ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
                                               }});
  ASSERT_EQ(shared.code, 0) << shared.err;
  std::vector<std::string> alone = both;
  alone.insert(alone.end(), {"--pool", at("pool"), "--out", at("alone")});
  ASSERT_EQ(vestige(alone).code, 0);
  EXPECT_EQ(numbers(folder_ / "shared"), numbers(folder_ / "alone"));
}

}  // namespace
}  // namespace vestige
