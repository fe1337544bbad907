// The plain C&W term.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// Fine-tuning as the host, with a rate that is brought down to 0.
TEST(Cw, PushesForgetOutAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("cw",
                                             {{"epochs", 5},
                                              {"rate", 0.05},
                                              {"batch", 32},
                                              {"weight_decay", 0},
                                              {"schedule", "cosine"},
                                              {"lambda", 1}},
                                             problem);
  EXPECT_GT(bench.progress(problem.network), 0.3);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.9);
  EXPECT_GT(outcome.facts.at("seconds_without_term").get<double>(), 0);
  EXPECT_LT(outcome.facts.at("seconds_without_term").get<double>(),
            outcome.facts.at("seconds_with_term").get<double>());
}

}  // namespace
}  // namespace vestige
