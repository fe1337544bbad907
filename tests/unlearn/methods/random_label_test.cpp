// Random labels, and the labels themselves.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/parts/random_label_phases.h"
#include "vestige/unlearn/parts/relabel.h"
#include "vestige/unlearn/parts/rounds.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(Relabel, ChangesTheGivenRowsOnly) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const torch::Tensor truth = bench.samples().labels();
  for (const unlearn::LabelDraw draw : {unlearn::LabelDraw::any, unlearn::LabelDraw::other}) {
    Stream stream(1, "test");
    const torch::Tensor labels =
        unlearn::random_labels(bench.samples(), bench.forget(), draw, stream);
    const torch::Tensor same = labels.eq(truth);
    EXPECT_TRUE(same.narrow(0, 80, 1420).all().item<bool>());  // forget is rows 0 to 79
    EXPECT_GE(labels.min().item<std::int64_t>(), 0);
    EXPECT_LT(labels.max().item<std::int64_t>(), 4);
    const auto kept = same.narrow(0, 0, 80).sum().item<std::int64_t>();
    if (draw == unlearn::LabelDraw::other) {
      EXPECT_EQ(kept, 0);
    } else {
      // Binomial(80, 1/4): mean 20, deviation 3.9.
      EXPECT_GT(kept, 4);
      EXPECT_LT(kept, 36);
    }
  }
}

// Against LibTorch's own loss at the other labels.
TEST(Relabel, CrossEntropyUsesTheOtherLabels) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const torch::Tensor labels = (bench.samples().labels() + 1).remainder(4);
  const train::Batch batch = bench.samples().batch(std::span(bench.forget()));
  const torch::NoGradGuard no_gradient;
  const train::Losses losses = unlearn::cross_entropy_with(labels)(problem.network, batch, {});
  const torch::Tensor expected =
      torch::nll_loss(torch::log_softmax(losses.logits[0], -1), labels.narrow(0, 0, 80));
  EXPECT_NEAR(losses.each[0].item<double>(), expected.item<double>(), 1e-5);
}

TEST(Rounds, CutsAScheduleIntoEpochs) {
  train::Phase phase;
  phase.epochs = 2.5;
  phase.optimizer.rate = 0.1;
  phase.schedule.kind = "linear";
  EXPECT_EQ(unlearn::rounds(phase), 3);
  const train::Phase last = unlearn::round_of(phase, 2, "erase");
  EXPECT_DOUBLE_EQ(last.epochs, 0.5);
  EXPECT_NEAR(last.optimizer.rate, 0.1 * (1 - 2 / 2.5), 1e-15);
  EXPECT_EQ(last.schedule.kind, "constant");
  EXPECT_EQ(last.purpose, "erase/2");
}

TEST(RandomLabel, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run(
      "random_label",
      {{"rate", 0.03}, {"batch", 16}, {"epochs", 8}, {"repair_epochs", 2}, {"repair_rate", 0.01}},
      problem);
  EXPECT_EQ(outcome.cost.steps, 8 * 5 + 2 * 45);
  EXPECT_EQ(outcome.cost.samples, 8 * 80 + 2 * 720);
  EXPECT_GT(bench.progress(problem.network), 0.1);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

TEST(RandomLabel, AlternatesOnRequest) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run(
      "random_label", {{"rate", 0.02}, {"batch", 32}, {"epochs", 5}, {"alternate", true}}, problem);
  EXPECT_EQ(outcome.cost.samples, 5 * (80 + 720));
  EXPECT_GT(bench.progress(problem.network), 0.05);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

}  // namespace
}  // namespace vestige
