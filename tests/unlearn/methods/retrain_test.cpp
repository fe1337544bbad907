// Retraining, whole and partial.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unlearn/bench.h"
#include "vestige/base/error.h"
#include "vestige/unlearn/parts/retraining.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// The bench trains its retrained model by hand, from seed 2: the method must give the same bytes.
TEST(Retrain, EqualsTrainingFromScratchBitForBit) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem(2);
  const unlearn::Outcome outcome = bench.run("retrain", {}, problem);
  EXPECT_TRUE(testing::changed(problem.network, bench.retrained()).empty());
  EXPECT_EQ(outcome.cost.steps, 30 * 23);  // 30 epochs, 720 rows in batches of 32
  EXPECT_EQ(outcome.cost.samples, 30 * 720);
}

/// The same problem with other training settings, which must outlive it.
unlearn::Problem with(const unlearn::Problem& base, const train::TrainSettings& settings) {
  return {.network = base.network,
          .samples = base.samples,
          .retain = base.retain,
          .forget = base.forget,
          .validation = base.validation,
          .seed = base.seed,
          .original_seed = base.original_seed,
          .training = settings,
          .forget_options = base.forget_options,
          .make_network = base.make_network,
          .original_file = base.original_file,
          .watch = base.watch};
}

TEST(Retrain, StopsAtTheAccuracyThatTrainingAsksFor) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const unlearn::Problem base = bench.problem(2);
  train::TrainSettings settings = base.training;
  settings.until_accuracy = 0.8;
  unlearn::Problem problem = with(base, settings);
  const unlearn::Outcome outcome = bench.run("retrain", {}, problem);
  EXPECT_GE(bench.retain_accuracy(problem.network), 0.8);
  EXPECT_LT(outcome.cost.samples, 30 * 720);
}

// The best of three epochs must be at least as good as one, two or three epochs of the same
// training (a constant rate makes shorter runs its beginnings).
TEST(Retrain, KeepsTheBestEpochOnValidationRows) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const unlearn::Problem base = bench.problem(2);
  train::TrainSettings settings = base.training;
  settings.schedule.kind = "constant";
  unlearn::Problem problem = with(base, settings);
  const auto accuracy = [&] {
    return train::accuracy(problem.network, problem.samples, problem.validation);
  };
  double best = 0;
  for (const double epochs : {1.0, 2.0, 3.0}) {
    settings.epochs = epochs;
    bench.run("retrain", {}, problem);
    best = std::max(best, accuracy());
  }
  settings.select = "best_validation";
  bench.run("retrain", {}, problem);
  EXPECT_DOUBLE_EQ(accuracy(), best);

  problem.validation.clear();
  EXPECT_THROW(bench.run("retrain", {}, problem), InputError);
}

TEST(PartialRetrain, WithoutAnyForgetRowIsRetraining) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const unlearn::Problem first = bench.problem(2), second = bench.problem(2);
  train::TrainSettings settings = first.training;
  settings.epochs = 2;
  unlearn::Problem partial = with(first, settings), whole = with(second, settings);
  EXPECT_EQ(bench.run("partial_retrain", {{"p", 1}}, partial).facts.at("kept_forget_rows"), 0);
  bench.run("retrain", {}, whole);
  EXPECT_TRUE(testing::changed(partial.network, whole.network).empty());
}

// With a quarter of the forget rows removed, only a part of the way is gone.
TEST(PartialRetrain, LiesBetweenOriginalAndRetrained) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem(2);
  const unlearn::Outcome outcome = bench.run("partial_retrain", {{"p", 0.25}}, problem);
  EXPECT_EQ(outcome.facts.at("kept_forget_rows"), 60);  // of 80
  EXPECT_EQ(outcome.cost.samples, 30 * 780);
  EXPECT_GT(bench.progress(problem.network), 0.05);
  EXPECT_LT(bench.progress(problem.network), 0.6);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

TEST(PartialRetrain, RejectsSharesOutsideOfZeroToOne) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  EXPECT_THROW(bench.run("partial_retrain", {{"p", 1.5}}, problem), InputError);
}

}  // namespace
}  // namespace vestige
