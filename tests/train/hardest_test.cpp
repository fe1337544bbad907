// The search for the forget set that is hardest to forget.
#include "vestige/train/hardest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/loop.h"
#include "vestige/train/training.h"

namespace vestige::train {
namespace {

TEST(ProjectToBudget, IsTheNearestPoint) {
  const std::vector<double> inside = project_to_budget({0.9, 0.5, 0.1}, 2);
  // By hand: shifted up, 0.9 reaches 1 first; the others share what is left: 0.5 + 0.2, 0.1 + 0.2.
  EXPECT_NEAR(inside[0], 1.0, 1e-9);
  EXPECT_NEAR(inside[1], 0.7, 1e-9);
  EXPECT_NEAR(inside[2], 0.3, 1e-9);
  const std::vector<double> clipped = project_to_budget({5, -5, 0}, 1);
  EXPECT_NEAR(clipped[0], 1.0, 1e-9);
  EXPECT_NEAR(clipped[1], 0.0, 1e-9);
  EXPECT_NEAR(clipped[2], 0.0, 1e-9);
}

/// Mean loss of `forget` under a model trained without them: how much the other rows give away.
double loss_when_unseen(const std::shared_ptr<const Lab>& lab, const Rows& forget) {
  Workshop workshop(lab);
  Rows retain;
  std::set_difference(lab->split.part("train").begin(), lab->split.part("train").end(),
                      forget.begin(), forget.end(), std::back_inserter(retain));
  models::NetworkPointer network = workshop.network(lab->recipe.model);
  models::initialise(*network, 0, 99);
  Phase phase;
  phase.epochs = lab->recipe.train.epochs;
  phase.batch = 32;
  phase.optimizer.rate = 0.05;
  Watch watch;
  run_phase(*network, workshop.samples(), retain, 99, phase, watch);
  return mean_loss(*network, workshop.samples(), forget);
}

// What makes a forget set the hardest: a model retrained without it still knows it, so that
// unlearning can hardly be told from doing nothing. Measured here: 1.03 against 1.83 for random
// rows.
TEST(HardestRows, FindsRowsThatTheOthersGiveAway) {
  const auto lab = testing::tiny_lab({"train.epochs=15", "data.memorise=0.5"});
  const auto jobs = training_jobs(lab, plan(*lab));
  const std::string original =
      jobs[0].make([](const pool::Report&) {})[0].files.at("model.safetensors");
  HardestSettings settings;
  settings.count = 40;
  settings.lower_rate = 1e-3;
  const HardestRows found = find_hardest(lab, lab->recipe.model, original, settings, 1);
  ASSERT_EQ(found.rows.size(), 40U);
  EXPECT_TRUE(std::is_sorted(found.rows.begin(), found.rows.end()));
  EXPECT_NEAR(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), 40, 1e-6);
  EXPECT_LT(loss_when_unseen(lab, found.rows),
            0.75 * loss_when_unseen(lab, lab->split.part("forget")));
}

TEST(HardestRows, RefusesImpossibleCounts) {
  const auto lab = testing::tiny_lab();
  HardestSettings settings;
  settings.count = 400;
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { find_hardest(lab, lab->recipe.model, "", settings, 1); }), "400"));
}

}  // namespace
}  // namespace vestige::train
