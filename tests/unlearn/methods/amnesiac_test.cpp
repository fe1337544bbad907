// Amnesiac unlearning in both forms.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/base/error.h"
#include "vestige/models/weights/safetensors.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(Amnesiac, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("amnesiac", {{"rate", 0.002}, {"batch", 32}}, problem);
  EXPECT_EQ(outcome.cost.steps, 3 * 25);  // 800 rows in batches of 32
  EXPECT_EQ(outcome.cost.samples, 3 * 800);
  EXPECT_GT(bench.progress(problem.network), 0.1);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

// The log that the bench kept while training: weights must be the original's minus its sums.
TEST(AmnesiacLog, SubtractsTheLoggedUpdates) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const auto updates = models::from_safetensors(problem.original_file("log"), "log");
  const unlearn::Outcome outcome = bench.run("amnesiac_log", {}, problem);
  EXPECT_EQ(outcome.cost.steps, 0);
  const auto original = bench.original().named_parameters();
  double moved = 0;
  for (const auto& item : problem.network.named_parameters()) {
    EXPECT_TRUE(torch::equal(item.value()[0], original[item.key()][0] - updates.at(item.key())))
        << item.key();
    moved += updates.at(item.key()).abs().sum().item<double>();
  }
  EXPECT_GT(moved, 0);
  EXPECT_GT(bench.progress(problem.network), 0.2);
}

// Nearly all batches held a forget row, so that little of the model is left; repair brings it back.
TEST(AmnesiacLog, RepairsOnRequest) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  bench.run("amnesiac_log", {{"epochs", 15}, {"rate", 0.05}, {"batch", 32}}, problem);
  EXPECT_GT(bench.progress(problem.network), 0.4);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.85);
}

TEST(AmnesiacLog, NamesWhatIsMissing) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  problem.original_file = [](const std::string&) {
    return models::to_safetensors({{"conv1.weight", torch::zeros({1})}});
  };
  EXPECT_THROW(bench.run("amnesiac_log", {}, problem), InputError);
  problem.original_file = [](const std::string&) {
    return models::to_safetensors({{"other", torch::zeros({1})}});
  };
  EXPECT_THROW(bench.run("amnesiac_log", {}, problem), InputError);
  EXPECT_TRUE(unlearn::amnesiac_log().needs.training_log);
}

}  // namespace
}  // namespace vestige
