// Batches of sets of which only some rows' inputs are held.
#include "vestige/train/batches/samples.h"

#include <gtest/gtest.h>

#include "tests/train/support.h"

namespace vestige::train {
namespace {

// Docs of `distinct`: row i shows what row i mod distinct shows, and keeps its own label.
TEST(Samples, RowsBeyondTheHeldOnesShowThem) {
  const auto few = testing::tiny_lab({"data.distinct=50"}), all = testing::tiny_lab();
  const Samples held(few->data, torch::Device("cpu"));
  const Rows rows = {3, 53, 1001, 49};
  const Batch batch = held.batch(rows);
  EXPECT_TRUE(torch::equal(batch.inputs[0][0], batch.inputs[0][1]));
  EXPECT_TRUE(torch::equal(batch.inputs[0][2], held.batch(Rows{1}).inputs[0][0]));
  EXPECT_FALSE(torch::equal(batch.inputs[0][0], batch.inputs[0][3]));
  EXPECT_EQ(few->data.labels, all->data.labels);
  EXPECT_EQ(batch.labels[0][1].item<std::int64_t>(), all->data.labels[53]);
}

}  // namespace
}  // namespace vestige::train
