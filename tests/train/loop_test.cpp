// The training loop: learns, repeats itself bit for bit, and k models in one graph learn what
// each would have learnt alone.
#include "vestige/train/loop.h"

#include <gtest/gtest.h>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/evaluate.h"

namespace vestige::train {
namespace {

using testing::error_of;
using testing::holds;
using testing::tiny_lab;

Phase phase_of(double epochs, double rate = 0.05) {
  Phase phase;
  phase.epochs = epochs;
  phase.batch = 32;
  phase.optimizer.rate = rate;
  return phase;
}

/// A network trained from `seeds` (one per copy) on the lab's train rows.
models::NetworkPointer trained(Workshop& workshop, const std::vector<std::uint64_t>& seeds,
                               const Phase& phase) {
  at::set_num_threads(1);
  models::NetworkPointer network =
      workshop.network(workshop.lab().recipe.model, static_cast<std::int64_t>(seeds.size()));
  std::vector<Rows> rows;
  for (std::size_t copy = 0; copy < seeds.size(); ++copy) {
    models::initialise(*network, static_cast<std::int64_t>(copy), seeds[copy]);
    rows.push_back(workshop.lab().split.part("train"));
  }
  Watch watch;
  run_phase(*network, workshop.samples(), rows, seeds, phase, watch);
  return network;
}

TEST(Loop, LearnsAndCountsItsCost) {
  Workshop workshop(tiny_lab());
  const Rows rows = workshop.lab().split.part("train");
  models::NetworkPointer network = workshop.network(workshop.lab().recipe.model);
  models::initialise(*network, 0, 1);
  const double before = mean_loss(*network, workshop.samples(), rows);
  Watch watch;
  std::vector<double> reported;
  watch.report = [&](const pool::Report& report) { reported.push_back(report.images); };
  const Cost cost = run_phase(*network, workshop.samples(), rows, 1, phase_of(5), watch);
  EXPECT_LT(mean_loss(*network, workshop.samples(), rows), 0.7 * before);
  EXPECT_EQ(cost.steps, 5 * 13);  // 400 rows in batches of 32: 12 whole ones and 16 rows
  EXPECT_EQ(cost.samples, 2000);
  EXPECT_EQ(reported.back(), 2000);
}

TEST(Loop, SameSeedSameBytes) {
  Workshop workshop(tiny_lab());
  const auto bytes = [&](std::uint64_t seed) {
    return models::save(*trained(workshop, {seed}, phase_of(1)), 0);
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

// Companions change a model by rounding only. Stated tolerance: 1e-4 on logits after 39 steps
// (three epochs).
TEST(Loop, CompanionsDoNotMatter) {
  Workshop workshop(tiny_lab());
  const Rows rows = workshop.lab().split.part("test");
  const std::vector<std::uint64_t> seeds = {11, 12, 13};
  Phase phase = phase_of(3);
  phase.augment.crop = 1;
  phase.augment.flip = true;
  phase.schedule.kind = "cosine";
  const models::NetworkPointer together = trained(workshop, seeds, phase);
  const torch::Tensor all = logits_of(*together, workshop.samples(), rows);
  for (std::size_t copy = 0; copy < seeds.size(); ++copy) {
    const models::NetworkPointer alone = trained(workshop, {seeds[copy]}, phase);
    const torch::Tensor logits = logits_of(*alone, workshop.samples(), rows)[0];
    const double difference =
        (logits - all[static_cast<std::int64_t>(copy)]).abs().max().item<double>();
    EXPECT_LT(difference, 1e-4) << "copy " << copy;
  }
}

TEST(Loop, CopiesHaveTheirOwnRates) {
  Workshop workshop(tiny_lab());
  Phase phase = phase_of(1);
  phase.rates = {0.05, 0.01};
  const models::NetworkPointer together = trained(workshop, {3, 4}, phase);
  const models::NetworkPointer slow = trained(workshop, {4}, phase_of(1, 0.01));
  const Rows rows = workshop.lab().split.part("test");
  const torch::Tensor difference = logits_of(*together, workshop.samples(), rows)[1] -
                                   logits_of(*slow, workshop.samples(), rows)[0];
  EXPECT_LT(difference.abs().max().item<double>(), 1e-4);
}

TEST(Loop, FixedBatchesKeepTheirMembers) {
  Workshop workshop(tiny_lab());
  Phase phase = phase_of(3);
  phase.fixed_batches = true;
  std::vector<std::vector<std::int64_t>> seen;
  phase.objective = [&](models::Network& network, const Batch& batch, const Step& step) {
    std::vector<std::int64_t> rows(batch.rows.data_ptr<std::int64_t>(),
                                   batch.rows.data_ptr<std::int64_t>() + batch.rows.numel());
    std::sort(rows.begin(), rows.end());
    seen.push_back(rows);
    return cross_entropy()(network, batch, step);
  };
  trained(workshop, {1}, phase);
  ASSERT_EQ(seen.size(), 39U);
  std::vector<std::vector<std::int64_t>> first(seen.begin(), seen.begin() + 13);
  std::vector<std::vector<std::int64_t>> second(seen.begin() + 13, seen.begin() + 26);
  EXPECT_NE(first, second);  // another order
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);  // the same batches
}

TEST(Loop, FractionalEpochsAndStopping) {
  Workshop workshop(tiny_lab());
  models::NetworkPointer network = workshop.network(workshop.lab().recipe.model);
  models::initialise(*network, 0, 1);
  Watch watch;
  const Rows rows = workshop.lab().split.part("train");
  EXPECT_EQ(run_phase(*network, workshop.samples(), rows, 1, phase_of(1.5), watch).steps, 20);
  Phase stopping = phase_of(10);
  stopping.after_epoch = [](const Step& step, double) { return step.epoch < 1; };
  EXPECT_EQ(run_phase(*network, workshop.samples(), rows, 1, stopping, watch).steps, 26);
}

TEST(Loop, WeightedCrossEntropyIsPyTorchs) {
  // Two rows, classes 0 and 1, logits (0, 0): loss ln 2 each, whatever the weights. With logits
  // (0, ln 3) for both: losses ln 4 and ln(4/3); weights 1 and 3: (ln 4 + 3 ln(4/3)) / 4.
  class Fixed : public models::Network {
   public:
    Fixed() : Network(1) {}
    torch::Tensor forward(const torch::Tensor&, models::Taps*) override {
      return torch::tensor({0.0F, std::log(3.0F), 0.0F, std::log(3.0F)}).view({1, 2, 2});
    }
    std::vector<std::string> tap_names() const override { return {"penultimate", "logits"}; }
  } network;
  const Batch batch{torch::zeros({1, 2, 1}), torch::tensor({0, 1}, torch::kInt64).view({1, 2}), {}};
  const Losses losses = cross_entropy(torch::tensor({1.0F, 3.0F}))(network, batch, Step());
  EXPECT_NEAR(losses.each.item<double>(), (std::log(4.0) + 3 * std::log(4.0 / 3)) / 4, 1e-6);
}

TEST(Loop, DivergenceIsOneSentence) {
  Workshop workshop(tiny_lab());
  EXPECT_TRUE(
      holds(error_of([&] { trained(workshop, {1}, phase_of(5, 1e6)); }), "use a smaller rate"));
}

}  // namespace
}  // namespace vestige::train
