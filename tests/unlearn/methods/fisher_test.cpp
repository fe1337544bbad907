// Fisher forgetting.
#include "vestige/unlearn/methods/fisher.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unlearn/bench.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// By hand, with F chosen so that 1 / (F + 1e-8) is 1 and 4: their mean over inputs is 2.5.
TEST(Fisher, DeviationsByHand) {
  const torch::Tensor weights =
      torch::tensor({1 - 1e-8, 0.25 - 1e-8}, torch::kFloat64).view({1, 1, 2});
  EXPECT_TRUE(torch::allclose(unlearn::fisher_deviation(weights, {.alpha = 0.01}),
                              torch::full_like(weights, std::sqrt(0.025))));
  EXPECT_TRUE(
      torch::allclose(unlearn::fisher_deviation(weights, {.alpha = 0.01, .classifier = true}),
                      torch::full_like(weights, std::sqrt(0.25))));
  EXPECT_TRUE(torch::allclose(unlearn::fisher_deviation(weights, {.alpha = 0.01, .exponent = 0.25}),
                              torch::full_like(weights, std::pow(0.025, 0.25))));
  // A bias of no importance at all: 1 / 1e-8 is cut to 1e3, or to 1e2 in the classifier; times 10.
  const torch::Tensor bias = torch::zeros({1, 1}, torch::kFloat64);
  EXPECT_NEAR(unlearn::fisher_deviation(bias, {.alpha = 0.01}).item<double>(), 10, 1e-9);
  EXPECT_NEAR(unlearn::fisher_deviation(bias, {.alpha = 0.01, .classifier = true}).item<double>(),
              std::sqrt(10.0), 1e-9);
}

TEST(Fisher, ForgetsAClass) {
  UnlearnBench& bench = UnlearnBench::of("class");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("fisher", {{"rows", 200}}, problem);
  EXPECT_EQ(outcome.cost.samples, 200);
  EXPECT_GT(bench.progress(problem.network), 0.04);
  EXPECT_LT(bench.forget_accuracy(problem.network), 0.7);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

TEST(Fisher, NoiseOnRandomRowsRaisesTheirLoss) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  bench.run("fisher", {{"alpha", 5e-6}, {"rows", 200}}, problem);
  EXPECT_GT(bench.progress(problem.network), 0.05);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.85);
}

}  // namespace
}  // namespace vestige
