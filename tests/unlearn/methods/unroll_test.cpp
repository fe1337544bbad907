// Single-gradient unlearning.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// SDE (Table 3) finds it next to ineffective, so it is checked for what it does to the weights:
// theta + rate * epochs / batch * gradient, here .05 * 30 / 32, at the weights of the original's
// seed, with the gradient of one backward pass over all of forget.
TEST(Unroll, AddsTheGradientAtTheInitialWeights) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("unroll", Json::object(), problem);
  EXPECT_EQ(outcome.cost.steps, 1);
  EXPECT_EQ(outcome.cost.samples, 80);

  const models::NetworkPointer initial = problem.make_network();
  models::initialise(*initial, 0, 1);
  const train::Batch batch = bench.samples().batch(bench.forget());
  const torch::Tensor logits = initial->forward(batch.inputs)[0];
  const torch::Tensor right = logits.gather(1, batch.labels[0].unsqueeze(1)).squeeze(1);
  (torch::logsumexp(logits, 1) - right).mean().backward();
  const auto originals = bench.original().parameters();
  std::size_t index = 0;
  for (const torch::Tensor& parameter : problem.network.parameters()) {
    const torch::Tensor expected =
        originals[index] + 0.05 * 30 / 32 * initial->parameters()[index].grad();
    EXPECT_TRUE(torch::allclose(parameter, expected, 1e-4, 1e-6)) << index;
    ++index;
  }
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

// All rows together are 80 times the mean.
TEST(Unroll, SumsOnRequest) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("unroll", {{"reduction", "sum"}, {"rate", 0.001}, {"epochs", 4}}, problem);
  EXPECT_DOUBLE_EQ(outcome.facts.at("factor").get<double>(), 0.001 * 4 / 32 * 80);
  EXPECT_GT(bench.forget_loss(problem.network), bench.forget_loss(bench.original()));
}

}  // namespace
}  // namespace vestige
