// The lab as its user meets it: train, collect, inspect, audit; kill it, share it, feed it
// nonsense.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "tests/cli/vestige.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/seed.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::refuses;
using testing::TemporaryFolder;
using testing::vestige;

/// Ten lines: 4 originals, 4 retrained, 1 shadow on synthetic data that must be memorised.
constexpr const char* kRecipe = R"(seed = 1
data = { name = "synthetic", rows = 900, test_rows = 200, classes = 4, height = 8, width = 8 }
split = { train = 400, calibration = 100, shadow = 300 }
forget = { kind = "random", count = 40 }
model = { name = "small_cnn", width = 4 }
train = { epochs = 4, batch = 32, rate = 0.05, schedule = "cosine" }
pool = { original = 4, retrained = 4, shadow = 1 }
collect = { taps = ["penultimate"] }
)";

class LabTest : public ::testing::Test {
 protected:
  LabTest() { write_file(recipe(), kRecipe); }

  std::string recipe() const { return (folder_ / "recipe.toml").string(); }
  std::string pool(const std::string& name = "pool") const { return (folder_ / name).string(); }

  Finished train(const std::string& pool_name = "pool", std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"train", recipe(), "--pool", pool(pool_name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return vestige(arguments);
  }

  /// The weights of every model by name: what must not depend on how they were made.
  std::map<std::string, std::string> weights(const std::string& name = "pool") const {
    std::map<std::string, std::string> result;
    if (!fs::exists(pool(name))) return result;  // interrupted before it was made
    for (const auto& entry : fs::directory_iterator(pool(name))) {
      const std::string file = entry.path().filename().string();
      EXPECT_TRUE(entry.is_directory()) << "left over: " << file;
      if (entry.is_directory() && !file.starts_with('.')) {
        result[file] = read_file(entry.path() / "model.safetensors");
      }
    }
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(LabTest, TrainsCollectsAndAuditsFromTenLines) {
  const Finished trained = train();
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(testing::holds(trained.out, {"original/3", "retrained/3", "shadow/0", "9 models"}));
  const std::string evidence = pool("evidence");
  fs::create_directories(evidence);  // an empty folder is nothing to protect
  const Finished collected = vestige({"collect", recipe(), "--pool", pool(), "--out", evidence});
  ASSERT_EQ(collected.code, 0) << collected.err;
  EXPECT_TRUE(testing::holds(collected.out, {"9 models", "vestige audit"}));
  EXPECT_TRUE(fs::exists(fs::path(evidence) / "original/0/activations/penultimate/forget.npy"));
  const Finished inspected = vestige({"inspect", evidence});
  EXPECT_EQ(inspected.code, 0) << inspected.out << inspected.err;
  const Finished audited =
      vestige({"audit", evidence, "--out", pool("results"), "--metrics", "utility,iam", "--quiet"});
  EXPECT_EQ(audited.code, 0) << audited.err;
  // The same once more is there already; another one is refused, and replaces it if told to.
  const Finished again = vestige({"collect", recipe(), "--pool", pool(), "--out", evidence});
  EXPECT_TRUE(testing::holds(again.out, "as it was"));
  EXPECT_TRUE(refuses(vestige({"collect", recipe(), "--pool", pool(), "--out", evidence, "--set",
                               "collect.rows=20"}),
                      {"exists", "--force"}));
  EXPECT_EQ(vestige({"collect", recipe(), "--pool", pool(), "--out", evidence, "--set",
                     "collect.rows=20", "--force"})
                .code,
            0);
  const Finished models = vestige({"models", pool()});
  EXPECT_TRUE(testing::holds(models.out, {"small_cnn", "synthetic", "original/0", "9 models"}));
}

TEST_F(LabTest, WorkersDoNotChangeABit) {
  ASSERT_EQ(train("one", {"--workers", "1"}).code, 0);
  ASSERT_EQ(train("three", {"--workers", "3"}).code, 0);
  EXPECT_EQ(weights("one"), weights("three"));
  EXPECT_EQ(weights("one").size(), 9U);
}

TEST_F(LabTest, KilledTwentyTimesEndsTheSame) {
  ASSERT_EQ(train("whole").code, 0);
  Stream stream(1, "kill");
  for (int round = 0; round < 20; ++round) {
    const auto wait = std::chrono::milliseconds(stream.below(700));
    vestige({"train", recipe(), "--pool", pool("killed"), "--workers", "1"},
            {.while_running = [wait](pid_t child) {
              std::this_thread::sleep_for(wait);
              ::kill(child, SIGKILL);
            }});
  }
  const Finished last = train("killed");
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(weights("killed"), weights("whole"));
}

// A pool that was not there before is not there after a refusal.
TEST_F(LabTest, ARefusalLeavesNoEmptyPool) {
  const Finished refused = train("new", {"--set", "model.name=\"mlpx\""});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(testing::holds(refused.err, "mlpx")) << refused.err;
  EXPECT_FALSE(fs::exists(pool("new")));
  fs::create_directory(pool("old"));
  EXPECT_EQ(train("old", {"--set", "model.name=\"mlpx\""}).code, 2);
  EXPECT_TRUE(fs::exists(pool("old"))) << "somebody made it";
}

// Training, unlearning and probes are jobs of one run: whichever is hit, the pool stays whole.
TEST_F(LabTest, AProbeKilledTenTimesEndsTheSame) {
  const auto arguments = [&](const std::string& name) {
    return std::vector<std::string>{"recover",
                                    recipe(),
                                    "--pool",
                                    pool(name),
                                    "--set",
                                    "pool.original=1",
                                    "--set",
                                    "pool.retrained=1",
                                    "--methods",
                                    "finetune",
                                    "--recovery-tests",
                                    "noise,finetune,int4",
                                    "--workers",
                                    "1"};
  };
  ASSERT_EQ(vestige(arguments("whole")).code, 0);
  Stream stream(2, "kill");
  for (int round = 0; round < 10; ++round) {
    const auto wait = std::chrono::milliseconds(100 + stream.below(700));
    vestige(arguments("killed"), {.while_running = [wait](pid_t child) {
              std::this_thread::sleep_for(wait);
              ::kill(child, SIGKILL);
            }});
  }
  const Finished last = vestige(arguments("killed"));
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(weights("killed"), weights("whole"));
  // A shadow, an original, a retrained and an unlearned model; three probes of the last three.
  EXPECT_EQ(weights("whole").size(), 4U + 9U);
}

TEST_F(LabTest, ACorruptModelIsRetrained) {
  ASSERT_EQ(train().code, 0);
  const auto before = weights();
  const fs::path victim = fs::path(pool()) / before.begin()->first / "model.safetensors";
  std::string bytes = read_file(victim);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(victim, bytes);
  const Finished again = train();
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(testing::holds(again.err, before.begin()->first));
  EXPECT_EQ(read_file(victim), before.begin()->second);
}

// What was taken for "not trained yet" before: the evidence was written without the model.
TEST_F(LabTest, CollectNamesADamagedModel) {
  ASSERT_EQ(train().code, 0);
  const fs::path victim = fs::path(pool()) / weights().begin()->first / "model.safetensors";
  fs::resize_file(victim, 100);
  EXPECT_TRUE(refuses(
      vestige({"collect", recipe(), "--pool", pool(), "--out", pool("evidence"), "--quiet"}),
      {victim.string(), "100 bytes instead of", "delete the folder"}));
  EXPECT_FALSE(fs::exists(pool("evidence")));
}

// Threads are those of all processes; how many one model gets is part of its name.
TEST_F(LabTest, ThreadsAreSharedByWorkers) {
  ASSERT_EQ(train("plain", {"--threads", "1"}).code, 0);
  ASSERT_EQ(train("budget", {"--threads", "4"}).code, 0);
  EXPECT_EQ(weights("plain"), weights("budget"));
  ASSERT_EQ(train("two", {"--threads-per-model", "2"}).code, 0);
  EXPECT_NE(weights("plain").begin()->first, weights("two").begin()->first);
  const auto workers = [&](const std::string& threads, const std::string& per_model) {
    const Finished dry = vestige({"bench", recipe(), "--pool", pool("dry"), "--dry-run", "--set",
                                  "bench.metrics=[\"utility\"]", "--threads", threads,
                                  "--threads-per-model", per_model});
    EXPECT_EQ(dry.code, 0) << dry.err;
    return dry.out;
  };
  EXPECT_TRUE(testing::holds(workers("4", "2"), "with 2 workers"));
  EXPECT_TRUE(testing::holds(workers("2", "1"), "with 2 workers"));
  EXPECT_TRUE(testing::holds(workers("1", "2"), "with 1 worker:"));
}

TEST_F(LabTest, SplitSearchesTheHardestRows) {
  const auto split = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"split", recipe(), "--pool", pool(), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return vestige(arguments);
  };
  // Also where the training set grew: its original begins with another model.
  const Finished grown = split({"--set", "dynamic={rows=50}", "--hardest", "7", "--out",
                                pool("rows.csv"), "--search", "rounds=1"});
  ASSERT_EQ(grown.code, 0) << grown.err;
  const std::string rows = read_file(pool("rows.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 7);
  EXPECT_TRUE(testing::holds(grown.out, {"7 examples", "kind = \"hardest\""}));
  EXPECT_EQ(split({"--set", "dynamic={rows=50}", "--set",
                   "forget={kind=\"hardest\", file=\"" + pool("rows.csv") + "\"}"})
                .code,
            0);
  EXPECT_TRUE(refuses(split({"--worst-case", "7"}), {"--worst-case", "--hardest 7"}));
}

TEST_F(LabTest, ModelsListsTheTapsOfAnArchitecture) {
  const Finished taps = vestige({"models", "--taps", "mlp"});
  EXPECT_EQ(taps.code, 0) << taps.err;
  EXPECT_EQ(taps.out, "hidden1\nhidden2\nhidden3\nhidden4\npenultimate\nlogits\n");
  EXPECT_TRUE(refuses(vestige({"models", "--taps", "resnet"}), {"resnet", "resnet18"}));
}

TEST_F(LabTest, TwoProcessesShareAPool) {
  Finished second;
  std::thread other([&] { second = train("shared", {"--workers", "1"}); });
  const Finished first = train("shared", {"--workers", "1"});
  other.join();
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(weights("shared").size(), 9U);
}

TEST_F(LabTest, MpirunSharesTheJobs) {
  const Finished shared =
      testing::run_program("/usr/bin/mpirun",
                           {"-n", "2", "--oversubscribe", VESTIGE_BINARY_DIR "/vestige", "train",
                            recipe(), "--pool", pool("ranks")},
                           {.in_child = [] {
                             ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
                             ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
                           }});
  ASSERT_EQ(shared.code, 0) << shared.err;
  ASSERT_EQ(train("alone").code, 0);
  EXPECT_EQ(weights("ranks"), weights("alone"));
}

TEST_F(LabTest, InterruptedItSaysHowToGoOn) {
  const Finished finished = vestige(
      {"train", recipe(), "--pool", pool(), "--set", "train.epochs=100000", "--workers", "2"},
      {.while_running = [](pid_t child) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        ::kill(child, SIGINT);
      }});
  EXPECT_EQ(finished.code, 130) << finished.err;
  EXPECT_TRUE(testing::holds(finished.err, "run it again to go on"));
  // The leader says it, and not the worker too.
  EXPECT_EQ(finished.err.find("interrupted"), finished.err.rfind("interrupted")) << finished.err;
  EXPECT_TRUE(weights().empty());  // and no lock or temporary folder is left
}

TEST_F(LabTest, BadInputIsOneSentence) {
  const auto with = [&](const std::string& change) {
    return vestige({"train", recipe(), "--pool", pool(), "--set", change});
  };
  EXPECT_TRUE(refuses(with("train.epoch=3"), {"did you mean 'epochs'?"}));
  EXPECT_TRUE(refuses(with("forget.count=5000"), {"5000", "400"}));
  EXPECT_TRUE(refuses(with("model.name=smal_cnn"), {"small_cnn"}));
  EXPECT_TRUE(refuses(with("data={name='mnist', path='/nowhere'}"), {"/nowhere"}));
  EXPECT_TRUE(refuses(with("data={name='minst'}"), {"mnist"}));
  EXPECT_TRUE(refuses(vestige({"train", pool("none.toml")}), {"none.toml"}));
  EXPECT_TRUE(refuses(vestige({"train", recipe(), "--device", "cuda"}), {"no CUDA device"}));
  EXPECT_TRUE(refuses(vestige({"models", pool("none")}), {"vestige train"}));
  EXPECT_TRUE(refuses(vestige({"collect", recipe(), "--pool", pool("empty")}), {"vestige train"}));
  write_file(folder_ / "file", "");
  EXPECT_TRUE(refuses(train("file/pool"), {"file/pool", "Not a directory"}));
  EXPECT_TRUE(refuses(vestige({"train", folder_.path().string()}), {"is a folder", "TOML"}));
  ASSERT_EQ(train("pool", {"--set", "train.epochs=0.1"}).code, 0);
  EXPECT_TRUE(refuses(vestige({"collect", recipe(), "--pool", pool(), "--set", "train.epochs=0.1",
                               "--out", pool("file/evidence")}),
                      {"cannot make the folder", "file/evidence", "Not a directory"}));
}

}  // namespace
}  // namespace vestige
