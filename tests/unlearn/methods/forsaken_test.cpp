// Neuron masking.
#include "vestige/unlearn/methods/forsaken.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// By hand: class 0 is the mean of two rows; class 2 has none, so it gets the mean of all three.
TEST(Forsaken, PosteriorsByHand) {
  const torch::Tensor p =
      torch::tensor({0.8, 0.2, 0.0, 0.6, 0.2, 0.2, 0.1, 0.8, 0.1}, torch::kFloat64).view({3, 3});
  const torch::Tensor result =
      unlearn::class_posteriors(p, torch::tensor({0, 0, 1}, torch::kInt64));
  const torch::Tensor expected =
      torch::tensor({0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.5, 0.4, 0.1}, torch::kFloat64).view({3, 3});
  EXPECT_TRUE(torch::allclose(result, expected));
}

// KL((1, 0) || (1/2, 1/2)) = ln 2 and KL((1/2, 1/2) || (1/2, 1/2)) = 0.
TEST(Forsaken, DivergenceByHand) {
  const torch::Tensor targets = torch::tensor({1.0, 0.0, 0.5, 0.5}, torch::kFloat64).view({2, 2});
  const torch::Tensor logits = torch::zeros({2, 2}, torch::kFloat64);
  const torch::Tensor labels = torch::tensor({0, 1}, torch::kInt64);
  EXPECT_NEAR(unlearn::unseen_divergence(logits, labels, targets).item<double>(), std::log(2.0) / 2,
              1e-9);
}

// IAM finds it weak, so it is checked for what it does: each neuron's weights and bias are the
// original's times one number, and neurons that the penalty leaves alone keep theirs bit for bit.
TEST(Forsaken, ScalesSomeNeuronsAndNoOthers) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run(
      "forsaken", {{"epochs", 20}, {"rate", 0.01}, {"batch", 16}, {"penalty", 100}}, problem);
  const auto before = unlearn::neuron_layers(bench.original());
  const auto after = unlearn::neuron_layers(problem.network);
  std::int64_t kept = 0, scaled = 0;
  for (std::size_t layer = 0; layer < before.size(); ++layer) {
    for (std::int64_t neuron = 0; neuron < before[layer].neurons(); ++neuron) {
      const torch::Tensor old_weight = before[layer].weight[0][neuron];
      const torch::Tensor new_weight = after[layer].weight[0][neuron];
      if (torch::equal(old_weight, new_weight)) {
        ++kept;
        EXPECT_TRUE(torch::equal(before[layer].bias[0][neuron], after[layer].bias[0][neuron]));
        continue;
      }
      ++scaled;
      const torch::Tensor factor =
          (old_weight * new_weight).sum() / (old_weight * old_weight).sum();
      EXPECT_TRUE(torch::allclose(new_weight, factor * old_weight, 1e-3, 1e-5));
    }
  }
  EXPECT_EQ(scaled, outcome.facts.at("masked_neurons").get<std::int64_t>());
  EXPECT_GT(scaled, 20);
  EXPECT_GT(kept, 20);
  EXPECT_GT(bench.forget_loss(problem.network), bench.forget_loss(bench.original()));
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

}  // namespace
}  // namespace vestige
