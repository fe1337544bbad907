// Fixed batches are those that training takes.
#include "vestige/train/batches/fixed_batches.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/train/support.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/loop.h"

namespace vestige::train {
namespace {

TEST(FixedBatches, AreThoseOfTheLoop) {
  Workshop workshop(testing::tiny_lab());
  const Rows rows = workshop.lab().split.part("train");
  models::NetworkPointer network = workshop.network(workshop.lab().recipe.model);
  models::initialise(*network, 0, 5);
  Phase phase;
  phase.epochs = 3;
  phase.batch = 32;
  phase.fixed_batches = true;
  std::vector<std::set<std::int64_t>> seen;
  phase.objective = [&seen, inner = cross_entropy()](models::Network& model, const Batch& batch,
                                                     const Step& step) {
    const torch::Tensor own = batch.rows.reshape({-1}).to(torch::kInt64).cpu().contiguous();
    seen.emplace_back(own.data_ptr<std::int64_t>(), own.data_ptr<std::int64_t>() + own.numel());
    return inner(model, batch, step);
  };
  Watch watch;
  run_phase(*network, workshop.samples(), rows, 5, phase, watch);
  const auto known = fixed_batch_of(rows, 5, 32);
  EXPECT_EQ(known.size(), rows.size());
  ASSERT_EQ(seen.size(), 39u);  // 400 rows: 12 whole batches and one of 16, three times
  std::map<std::int64_t, std::set<std::int64_t>> expected;
  for (const auto& [row, batch] : known) expected[batch].insert(row);
  for (const auto& batch : seen) EXPECT_EQ(batch, expected.at(known.at(*batch.begin())));
}

}  // namespace
}  // namespace vestige::train
