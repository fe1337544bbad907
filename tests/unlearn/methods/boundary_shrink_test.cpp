// Boundary shrink.
#include "vestige/unlearn/methods/boundary_shrink.h"

#include <gtest/gtest.h>

#include "tests/unlearn/bench.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

// Without an attack the nearest label is the likeliest of the other classes; with one it is another
// for some rows, and never the true one.
TEST(BoundaryShrink, NearestLabels) {
  UnlearnBench& bench = UnlearnBench::of("class");
  models::Network& network = bench.original();
  network.eval();
  const train::Batch batch = bench.samples().batch(bench.forget());
  const torch::Tensor plain = unlearn::nearest_labels(network, batch.inputs, batch.labels, 0);
  const torch::Tensor logits = network.forward(batch.inputs)[0].detach();
  for (std::int64_t row = 0; row < plain.numel(); ++row) {
    // Class 0 is forgotten, so the other classes are columns 1 to 3.
    EXPECT_EQ(plain[row].item<std::int64_t>(),
              logits[row].narrow(0, 1, 3).argmax().item<std::int64_t>() + 1);
  }
  const torch::Tensor attacked = unlearn::nearest_labels(network, batch.inputs, batch.labels, 2);
  EXPECT_FALSE(torch::equal(attacked, plain));
  EXPECT_FALSE(attacked.eq(0).any().item<bool>());
}

TEST(BoundaryShrink, ForgetsAClassAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("class");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("boundary_shrink", {{"epochs", 4}, {"rate", 0.001}, {"batch", 32}}, problem);
  // A gradient of the attack and one of the training step for each row.
  EXPECT_EQ(outcome.cost.samples, 2 * 4 * static_cast<std::int64_t>(bench.forget().size()));
  EXPECT_GT(bench.progress(problem.network), 0.3);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.7);
}

}  // namespace
}  // namespace vestige
