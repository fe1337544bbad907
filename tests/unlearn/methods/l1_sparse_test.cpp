// Fine-tuning with an L1 penalty.
#include "vestige/unlearn/methods/l1_sparse.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/base/error.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(L1Sparse, ThePenaltyFadesLinearly) {
  train::Step step;
  step.total_steps = 10;
  EXPECT_DOUBLE_EQ(unlearn::penalty_weight(0.4, step), 0.4);
  step.step = 5;
  EXPECT_DOUBLE_EQ(unlearn::penalty_weight(0.4, step), 0.2);
  step.step = 10;
  EXPECT_DOUBLE_EQ(unlearn::penalty_weight(0.4, step), 0);
}

TEST(L1Sparse, NormCountsEveryParameter) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const torch::NoGradGuard no_gradient;
  for (torch::Tensor parameter : problem.network.parameters()) parameter.fill_(-0.5);
  const auto count = static_cast<double>(models::parameter_count(problem.network));
  EXPECT_NEAR(unlearn::l1_norm(problem.network).item<double>(), 0.5 * count, 1e-6 * count);
}

TEST(L1Sparse, ShrinksWeightsForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const Json options = {{"epochs", 10}, {"rate", 0.02}, {"batch", 32}, {"alpha", 0.005}};
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("l1_sparse", options, problem);
  EXPECT_EQ(outcome.cost.samples, 10 * 720);
  const auto norm = [](const models::Network& network) {
    return unlearn::l1_norm(network).item<double>();
  };
  EXPECT_LT(norm(problem.network), 0.7 * norm(bench.original()));
  EXPECT_GT(bench.progress(problem.network), 0.07);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

TEST(L1Sparse, RejectsANegativePenalty) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  EXPECT_THROW(bench.run("l1_sparse", {{"alpha", -1}}, problem), InputError);
}

}  // namespace
}  // namespace vestige
