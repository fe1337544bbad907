// Seif.
#include "vestige/unlearn/methods/competition/seif.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/parts/layers_of.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(Seif, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("seif", {{"epochs", 10}, {"rate", 0.05}, {"batch", 32}, {"noise", 0.1}}, problem);
  // Seeds 7 to 10 give .07 to .15, and at least .98 of retain; fine-tuning alone gives .00.
  EXPECT_GT(bench.progress(problem.network), 0.04);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.9);
  EXPECT_EQ(outcome.cost.samples, 10 * 720);
}

TEST(Seif, NoisesConvolutionWeightsOnly) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem all = bench.problem(), first = bench.problem();
  bench.run("seif", {{"epochs", 0}}, all);
  EXPECT_EQ(testing::changed(all.network, bench.original()),
            (std::vector<std::string>{"conv1.weight", "conv2.weight"}));
  const torch::Tensor noise = unlearn::convolutions(all.network)[1].weight -
                              unlearn::convolutions(bench.original())[1].weight;
  // 4,608 draws: the standard error of the deviation is .6 / sqrt(9216) = .006.
  EXPECT_NEAR(noise.std().item<double>(), 0.6, 0.025);
  bench.run("seif", {{"epochs", 0}, {"layers", "first"}}, first);
  EXPECT_EQ(testing::changed(first.network, bench.original()),
            std::vector<std::string>{"conv1.weight"});
}

// With rate 0 only the noise is left: once before, once before the last epoch.
TEST(Seif, SecondNoiseComesBeforeTheLastEpoch) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const auto deviation = [&](double epochs) {
    unlearn::Problem problem = bench.problem();
    bench.run("seif", {{"epochs", epochs}, {"rate", 0}, {"noise", 0}, {"last_noise", 0.1}},
              problem);
    return (unlearn::convolutions(problem.network)[1].weight -
            unlearn::convolutions(bench.original())[1].weight)
        .std()
        .item<double>();
  };
  EXPECT_EQ(deviation(1), 0);
  EXPECT_NEAR(deviation(2), 0.1, 0.005);
  EXPECT_NEAR(deviation(3), 0.1, 0.005);  // once, not twice (.141)
}

// By hand: losses l of four rows, one of the majority class: (1 l0 + .05 (l1 + l2 + l3)) / 4.
TEST(Seif, LossIsTheWeightedSumOverTheBatchSize) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const std::int64_t majority = unlearn::majority_class(problem.samples, problem.retain);
  train::Rows rows;
  for (const bool wanted : {true, false, false, false}) {
    for (const std::int64_t row : problem.retain) {
      const bool is = problem.samples.labels()[row].item<std::int64_t>() == majority;
      if (is != wanted || std::find(rows.begin(), rows.end(), row) != rows.end()) continue;
      rows.push_back(row);
      break;
    }
  }
  models::Network& network = bench.retrained();
  double expected = 0;
  for (std::size_t place = 0; place < 4; ++place) {
    expected += (place == 0 ? 1.0 : 0.05) *
                train::mean_loss(network, problem.samples, train::Rows{rows[place]}) / 4;
  }
  network.eval();
  const train::Losses losses = unlearn::majority_cross_entropy(majority, 1, 0.05)(
      network, problem.samples.batch(std::span(rows)), {});
  EXPECT_NEAR(losses.each.item<double>(), expected, 1e-5 * (1 + expected));
}

}  // namespace
}  // namespace vestige
