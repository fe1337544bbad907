// SFR-on.
#include "vestige/unlearn/methods/sfron.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unlearn/bench.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// By hand: ratios 2, 1, 0.5 and 0/0, which the small constant makes 1.
TEST(Sfron, MaskByHand) {
  const torch::Tensor forget = torch::tensor({2.0, 1.0, 1.0, 0.0});
  const torch::Tensor retain = torch::tensor({1.0, 1.0, 2.0, 0.0});
  EXPECT_TRUE(torch::equal(unlearn::sfron_mask(forget, retain, 1),
                           torch::tensor({true, true, false, true})));
}

// Probabilities 1/2 and 1/4: losses ln 2 and 2 ln 2; with lambda 1 both weigh 1 / loss, and the
// loss is 2 / (1/a + 1/b) = 4/3 ln 2, the harmonic mean. Its gradient treats weights as constants:
// d/dlogit of the first row is c_1 (p - e) with c_1 = (1/a) / (1/a + 1/b) = 2/3.
TEST(Sfron, AdaptiveLossByHand) {
  const torch::Tensor logits =
      torch::tensor({0.0, 0.0, 0.0, std::log(3.0)}, torch::kFloat64).view({2, 2});
  const torch::Tensor free = logits.clone().set_requires_grad(true);
  const torch::Tensor loss =
      unlearn::sfron_adaptive_loss(free, torch::tensor({0, 0}, torch::kInt64), 1);
  EXPECT_NEAR(loss.item<double>(), 4.0 / 3.0 * std::log(2.0), 1e-12);
  loss.backward();
  EXPECT_NEAR(free.grad()[0][0].item<double>(), -2.0 / 3.0 * 0.5, 1e-12);
}

// The bench's forget rows have losses of .003, so the ascent needs more weight than a real
// network's.
TEST(Sfron, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run(
      "sfron", {{"epochs", 5}, {"batch", 32}, {"forget_every", 1}, {"forget_weight", 1000}},
      problem);
  // 5 epochs of 23 batches of retain, and as many steps on forget.
  EXPECT_EQ(outcome.cost.steps, 230);
  // 5 times 720 rows; 38 rounds of 80 rows (32, 32, 16) and one batch more; 800 for the mask.
  EXPECT_EQ(outcome.cost.samples, 3600 + 38 * 80 + 32 + 800);
  EXPECT_GT(bench.progress(problem.network), 0.4);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

// A phase that is one step long is one ascent step, and without weight decay it changes the weights
// of the mask and no others. lambda 0 weighs rows alike: with .5, a row whose loss is 0 in single
// precision takes all the weight, here and in the published code (reference case sat).
TEST(Sfron, AscendsOnMaskedWeightsOnly) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const double before = bench.forget_loss(bench.original());
  const unlearn::Outcome outcome = bench.run("sfron",
                                             {{"epochs", 0.001},
                                              {"batch", 80},
                                              {"weight_decay", 0},
                                              {"forget_weight", 1000},
                                              {"lambda", 0}},
                                             problem);
  ASSERT_EQ(outcome.cost.steps, 1);
  EXPECT_GT(bench.forget_loss(problem.network), before);
  std::int64_t moved = 0, all = 0;
  const auto originals = bench.original().parameters();
  std::size_t index = 0;
  for (const torch::Tensor& parameter : problem.network.parameters()) {
    moved += parameter.ne(originals[index++]).sum().item<std::int64_t>();
    all += parameter.numel();
  }
  EXPECT_GT(moved, 0);
  EXPECT_LE(moved, outcome.facts.at("weights_to_forget_with").get<std::int64_t>());
  EXPECT_LT(outcome.facts.at("weights_to_forget_with").get<std::int64_t>(), all);
}

}  // namespace
}  // namespace vestige
