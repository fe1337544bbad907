// NegGrad+.
#include "vestige/unlearn/methods/neggrad_plus.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/base/error.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// By hand: 0.75 * 2 - 0.25 * 6 = 0; 0.75 * 4 - 0.25 * 4 = 2.
TEST(NegGradPlus, Contrast) {
  const torch::Tensor result =
      unlearn::contrast(torch::tensor({2.0, 4.0}), torch::tensor({6.0, 4.0}), 0.75);
  EXPECT_DOUBLE_EQ(result[0].item<double>(), 0);
  EXPECT_DOUBLE_EQ(result[1].item<double>(), 2);
}

TEST(NegGradPlus, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run(
      "neggrad_plus",
      {{"a", 0.9}, {"rate", 0.03}, {"batch", 32}, {"epochs", 6}, {"schedule", "cosine"}}, problem);
  EXPECT_EQ(outcome.cost.steps, 6 * 23);
  // 138 forget batches of 32, 32 and 16 in turn: 46 rounds of 80 rows.
  EXPECT_EQ(outcome.cost.samples, 6 * 720 + 46 * 80);
  EXPECT_GT(bench.progress(problem.network), 0.2);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

// With a = 1 the forget rows have no say: the same as fine-tuning, whose arithmetic differs by the
// multiplication by 1 and the subtraction of 0 only.
TEST(NegGradPlus, WithoutAscentIsFinetuning) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem(), plain = bench.problem();
  bench.run("neggrad_plus", {{"a", 1}, {"epochs", 1}, {"rate", 0.02}}, problem);
  bench.run("finetune", {{"epochs", 1}, {"rate", 0.02}}, plain);
  EXPECT_TRUE(testing::changed(problem.network, plain.network).empty());
}

TEST(NegGradPlus, RejectsAWeightAboveOne) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  EXPECT_THROW(bench.run("neggrad_plus", {{"a", 1.1}}, problem), InputError);
}

}  // namespace
}  // namespace vestige
