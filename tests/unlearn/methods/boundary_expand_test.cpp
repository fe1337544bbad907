// Boundary expand.
#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(BoundaryExpand, ForgetsAClassAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("class");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("boundary_expand", {{"epochs", 10}, {"rate", 0.005}, {"batch", 32}}, problem);
  EXPECT_EQ(outcome.cost.samples, 10 * static_cast<std::int64_t>(bench.forget().size()));
  EXPECT_GT(bench.progress(problem.network), 0.2);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.7);
  // The shadow class is gone again: four classes are left.
  EXPECT_EQ(train::logits_of(problem.network, bench.samples(), bench.forget()).size(2), 4);
}

}  // namespace
}  // namespace vestige
