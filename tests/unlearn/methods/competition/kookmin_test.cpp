// Kookmin, and stitching other repairs into it.
#include "vestige/unlearn/methods/competition/kookmin.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/parts/divergences.h"
#include "vestige/unlearn/parts/layers_of.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

const Json kOptions = {{"epochs", 8}, {"rate", 0.03}, {"batch", 32}, {"share", 0.6}};

TEST(Kookmin, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("kookmin", kOptions, problem);
  // Seeds 7 to 10 give .19 to .34, and at least .98 of retain; fine-tuning alone gives .00.
  EXPECT_GT(bench.progress(problem.network), 0.1);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
  // 8 epochs of 23 batches of the 720 retained rows; 80 forget and as many retained rows before.
  EXPECT_EQ(outcome.cost.steps, 8 * 23);
  EXPECT_EQ(outcome.cost.samples, 8 * 720 + 2 * 80);
}

TEST(Kookmin, ReinitialisesThreeTenthsOfEachConvolution) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("kookmin", {{"epochs", 0}}, problem);
  EXPECT_EQ(testing::changed(problem.network, bench.original()),
            (std::vector<std::string>{"conv1.weight", "conv2.weight"}));
  std::int64_t changed = 0, expected = 0;
  const auto before = unlearn::convolutions(bench.original());
  const auto after = unlearn::convolutions(problem.network);
  for (std::size_t place = 0; place < after.size(); ++place) {
    changed += after[place].weight.ne(before[place].weight).sum().item<std::int64_t>();
    expected += std::llround(0.3 * static_cast<double>(before[place].weight.numel()));
  }
  EXPECT_EQ(changed, expected);
  EXPECT_EQ(outcome.facts.at("reinitialised").get<std::int64_t>(), expected);
}

// The same gradient from one pass over all rows at once.
TEST(Kookmin, GradientIsThatOfNegGradPlus) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const auto gradients = unlearn::neggrad_gradients(problem, problem.retain, 0.7, 50);
  for (const auto& item : problem.network.named_parameters()) {
    EXPECT_TRUE(!item.value().grad().defined() || !item.value().grad().any().item<bool>());
  }
  const auto loss = [&](const train::Rows& rows) {
    const train::Batch batch = problem.samples.batch(std::span(rows));
    return unlearn::mean_cross_entropy(
        torch::log_softmax(problem.network.forward(batch.inputs), -1), batch.labels);
  };
  const auto layers = unlearn::convolutions(problem.network);
  const auto expected =
      torch::autograd::grad({(0.7 * loss(problem.retain) - 0.3 * loss(problem.forget)).sum()},
                            {layers[0].weight, layers[1].weight});
  for (std::size_t place = 0; place < 2; ++place) {
    const double scale = expected[place].abs().max().item<double>();
    // Sums of 720 rows in single precision, in another order.
    EXPECT_LT((gradients[place] - expected[place]).abs().max().item<double>(), 1e-4 * scale);
  }
}

// One step of plain SGD without weight decay: kept weights move by a tenth of rate * gradient,
// which a second run with kept_scale = 1 moves by all of it.
TEST(Kookmin, KeptConvolutionWeightsMoveATenth) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const Json one = {
      {"epochs", 1}, {"batch", 720}, {"momentum", 0}, {"weight_decay", 0}, {"rate", 0.1}};
  Json whole = one;
  whole["kept_scale"] = 1;
  unlearn::Problem start = bench.problem(), slow = bench.problem(), fast = bench.problem();
  bench.run("kookmin", {{"epochs", 0}, {"batch", 720}}, start);
  bench.run("kookmin", one, slow);
  bench.run("kookmin", whole, fast);
  const torch::Tensor original = unlearn::first_convolution(bench.original()).weight;
  const torch::Tensor begin = unlearn::first_convolution(start.network).weight;
  const torch::Tensor slowly = unlearn::first_convolution(slow.network).weight - begin;
  const torch::Tensor fully = unlearn::first_convolution(fast.network).weight - begin;
  const torch::Tensor scale = torch::where(begin.eq(original), 0.1, 1.0);
  EXPECT_TRUE(torch::allclose(slowly, fully * scale, 1e-3, 1e-7));
  EXPECT_GT(fully.abs().max().item<double>(), 1e-4);
  // Everything else learns at the full rate.
  EXPECT_TRUE(torch::equal(unlearn::classifier(slow.network).weight,
                           unlearn::classifier(fast.network).weight));
}

}  // namespace
}  // namespace vestige
