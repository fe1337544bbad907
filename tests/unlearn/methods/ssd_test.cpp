// Selective synaptic dampening.
#include "vestige/unlearn/methods/ssd.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// By hand: 5 and 10 do not exceed 10 * 1; 20 does, factor 1/20; 1 exceeds 10 * 0, factor 0.
TEST(Ssd, DampensByHand) {
  const torch::Tensor weights = torch::tensor({2.0, 2.0, 2.0, 2.0});
  const torch::Tensor all = torch::tensor({1.0, 1.0, 1.0, 0.0});
  const torch::Tensor forget = torch::tensor({5.0, 10.0, 20.0, 1.0});
  EXPECT_TRUE(torch::allclose(unlearn::ssd_dampen(weights, all, forget, 10, 1),
                              torch::tensor({2.0, 2.0, 0.1, 0.0})));
  // lambda * all / forget = 5 is cut to 1.
  EXPECT_TRUE(torch::allclose(unlearn::ssd_dampen(weights, all, forget, 10, 100),
                              torch::tensor({2.0, 2.0, 2.0, 0.0})));
}

TEST(Ssd, ForgetsAClassAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("class");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("ssd", Json::object(), problem);
  EXPECT_GT(outcome.facts.at("dampened").get<int>(), 0);
  EXPECT_EQ(outcome.cost.steps, 0);
  // One pass over all 800 rows and one over forget.
  EXPECT_EQ(outcome.cost.samples, 800 + static_cast<std::int64_t>(bench.forget().size()));
  EXPECT_GT(bench.progress(problem.network), 0.2);
  EXPECT_LT(bench.forget_accuracy(problem.network), 0.2);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.9);
}

// Nothing is over a threshold that no weight can reach.
TEST(Ssd, LeavesEverythingBelowTheThreshold) {
  UnlearnBench& bench = UnlearnBench::of("class");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("ssd", {{"alpha", 1e30}}, problem);
  EXPECT_EQ(outcome.facts.at("dampened").get<int>(), 0);
  EXPECT_TRUE(testing::changed(problem.network, bench.original()).empty());
}

}  // namespace
}  // namespace vestige
