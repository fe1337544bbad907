// Bad teaching.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/distillation.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(BadTeacher, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("bad_teacher", {{"rate", 0.002}, {"batch", 32}, {"epochs", 3}}, problem);
  EXPECT_EQ(outcome.cost.steps, 3 * 10);            // 296 rows in batches of 32
  EXPECT_EQ(outcome.cost.samples, 3 * (80 + 216));  // 30 % of 720
  EXPECT_GT(bench.progress(problem.network), 0.1);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.85);
}

// On forget rows the student must come closer to the untrained teacher (drawn from the run's seed)
// than the original was.
TEST(BadTeacher, FollowsTheUntrainedTeacher) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  bench.run("bad_teacher", {{"rate", 0.002}, {"batch", 32}, {"epochs", 3}}, problem);
  const models::NetworkPointer teacher = unlearn::fresh_network(problem, problem.seed);
  const auto distance = [&](models::Network& student) {
    const torch::Tensor bad = train::logits_of(*teacher, bench.samples(), bench.forget());
    const torch::Tensor own = train::logits_of(student, bench.samples(), bench.forget());
    return unlearn::distillation(own, bad, 1)[0].item<double>();
  };
  EXPECT_LT(distance(problem.network), 0.5 * distance(bench.original()));
}

// Without forget rows the student equals its only teacher: the loss is 0 and has no gradient.
TEST(BadTeacher, StaysOnRetainedRows) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  problem.forget.clear();
  bench.run("bad_teacher", {{"optimizer", "sgd"}, {"rate", 0.01}}, problem);
  const auto before = bench.original().parameters();
  const auto after = problem.network.parameters();
  for (std::size_t index = 0; index < before.size(); ++index) {
    EXPECT_TRUE(torch::allclose(before[index], after[index], 0, 1e-6)) << index;
  }
}

}  // namespace
}  // namespace vestige
