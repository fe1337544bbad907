// Retraining with the conformal term.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// A third of the original's epochs (bench.cpp), each step with a batch of forget.
TEST(ConformalRetrain, PushesForgetOutAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("conformal_retrain", {{"lambda", 1}, {"epochs", 10}}, problem);
  EXPECT_GT(bench.progress(problem.network), 0.9);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.9);
  EXPECT_GT(outcome.facts.at("seconds_without_term").get<double>(), 0);
  EXPECT_LT(outcome.facts.at("seconds_without_term").get<double>(),
            outcome.facts.at("seconds_with_term").get<double>());
}

}  // namespace
}  // namespace vestige
