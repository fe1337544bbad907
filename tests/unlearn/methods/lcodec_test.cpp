// CODEC, FOCI and the Newton step on chosen neurons.
#include "vestige/unlearn/methods/lcodec.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/parts/codec.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige::unlearn {
namespace {

using testing::UnlearnBench;

// By hand: nearest neighbours in z are rows 1, 0, 1, 2; ranks 1 2 3 4, L 4 3 2 1. The numerator is
// 4(1 + 1 + 2 + 3) - (16 + 9 + 4 + 1) = -2, the denominator 0 + 3 + 4 + 3 = 10.
TEST(Codec, ByHand) {
  EXPECT_DOUBLE_EQ(codec(std::vector<double>{1, 2, 3, 4}, {{1, 2, 3.1, 4.5}}, {}), -0.2);
}

// By hand: neighbours in x are 1, 0, 3, 2 and in (x, z) 3, 2, 1, 0; ranks 1 3 4 2. The numerator is
// (1 + 3 + 3 + 1) - (1 + 1 + 2 + 2) = 2, the denominator 10 - 6 = 4.
TEST(Codec, ConditionalByHand) {
  EXPECT_DOUBLE_EQ(codec(std::vector<double>{1, 3, 4, 2}, {{0, 5, 5.2, 0.1}}, {{0, 0.1, 1, 1.3}}),
                   0.5);
}

TEST(Codec, HasNoAnswerForAConstant) {
  EXPECT_TRUE(std::isnan(codec(std::vector<double>{1, 1, 1}, {{1, 2, 4}}, {})));
}

/// Columns of uniform numbers.
Columns uniform_columns(std::size_t columns, std::size_t rows) {
  Columns result(columns);
  Stream stream(3, "test");
  for (std::vector<double>& column : result) {
    for (std::size_t row = 0; row < rows; ++row) column.push_back(stream.uniform());
  }
  return result;
}

// Azadkia and Chatterjee's example: Y = X1 + X2 modulo 1 is independent of X1 and of X2, but a
// function of X1 given X2. The limits are 0 and 1; 500 rows come within about 1 / sqrt(500) of the
// first and near the second.
TEST(Codec, SeesWhatMarginsHide) {
  const Columns x = uniform_columns(2, 500);
  std::vector<double> y;
  for (std::size_t row = 0; row < 500; ++row) y.push_back(std::fmod(x[0][row] + x[1][row], 1.0));
  EXPECT_LT(std::abs(codec(y, {x[1]}, {})), 0.15);
  EXPECT_GT(codec(y, {x[0]}, {x[1]}), 0.8);
}

TEST(Foci, FindsTheColumnsThatMatter) {
  Columns x = uniform_columns(8, 300);
  x.push_back(std::vector<double>(300, 1.0));
  std::vector<double> y;
  for (std::size_t row = 0; row < 300; ++row) y.push_back(3 * x[2][row] + 2 * x[5][row]);
  const std::vector<FociChoice> chosen = foci(y, x, 8);
  ASSERT_GE(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].column, 2u);
  EXPECT_EQ(chosen[1].column, 5u);
  EXPECT_GT(chosen[1].coefficient, 0.5);
  // The first coefficient is the unconditional one of the scaled column, whose neighbours are the
  // same.
  EXPECT_DOUBLE_EQ(chosen[0].coefficient, codec(y, {x[2]}, {}));
  for (const FociChoice& choice : chosen) EXPECT_NE(choice.column, 8u);
}

// The textbook system 4a + b = 1, a + 3b = 2: a = 1/11, b = 7/11, in two steps.
TEST(ConjugateGradients, ByHand) {
  const auto product = [](const WeightBlock& v) -> WeightBlock {
    return {4 * v[0] + v[1], v[0] + 3 * v[1]};
  };
  const WeightBlock right = {torch::tensor({1.0}, torch::kFloat64),
                             torch::tensor({2.0}, torch::kFloat64)};
  const WeightBlock solution = conjugate_gradients(product, right, 2, 1e-9);
  EXPECT_NEAR(solution[0].item<double>(), 1.0 / 11, 1e-12);
  EXPECT_NEAR(solution[1].item<double>(), 7.0 / 11, 1e-12);
}

TEST(Lcodec, ForgetsAClassByChosenNeuronsOnly) {
  UnlearnBench& bench = UnlearnBench::of("class");
  Problem problem = bench.problem();
  const Outcome outcome = bench.run("lcodec",
                                    {{"batch", 256},
                                     {"perturbations", 100},
                                     {"perturbation", 0.05},
                                     {"hessian_rows", 400},
                                     {"damping", 0.0003},
                                     {"newton_steps", 10}},
                                    problem);
  const auto before = neuron_layers(bench.original());
  const auto after = neuron_layers(problem.network);
  std::int64_t moved = 0, all = 0;
  for (std::size_t layer = 0; layer < before.size(); ++layer) {
    for (std::int64_t neuron = 0; neuron < before[layer].neurons(); ++neuron) {
      ++all;
      moved +=
          torch::equal(before[layer].weight[0][neuron], after[layer].weight[0][neuron]) ? 0 : 1;
    }
  }
  EXPECT_GT(moved, 0);
  EXPECT_LE(moved, outcome.facts.at("chosen_neurons").get<std::int64_t>());
  EXPECT_LT(moved, all / 4);
  EXPECT_GT(bench.progress(problem.network), 0.1);
  EXPECT_LT(bench.forget_accuracy(problem.network), 0.3);
  // A weaker damping moves more than it must: that forgetting does not hang on the processor's
  // sums.
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.7);
}

}  // namespace
}  // namespace vestige::unlearn
