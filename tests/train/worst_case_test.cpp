// The search for the forget set that is hardest to forget.
#include "vestige/train/worst_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/train/evaluate.h"
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

// Worst-case rows are remembered better after unlearning than random ones: their mean loss under a
// model that never saw them is lower, because the rest of the data gives them away.
TEST(WorstCase, FindsRowsThatTheOthersGiveAway) {
  const auto lab = testing::tiny_lab({"train.epochs=15", "data.memorise=0.5"});
  const auto plans = plan(*lab);
  const auto jobs = training_jobs(lab, plans);
  const std::string original =
      jobs[0].make([](const pool::Report&) {})[0].files.at("model.safetensors");
  WorstCaseSettings settings;
  settings.count = 40;
  settings.rounds = 10;
  settings.lower_rate = 1e-3;
  const WorstCase found = find_worst_case(lab, lab->recipe.model, original, settings, 1);
  ASSERT_EQ(found.rows.size(), 40U);
  EXPECT_TRUE(std::is_sorted(found.rows.begin(), found.rows.end()));
  EXPECT_NEAR(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), 40, 1e-6);
  const auto mislabelled = [&](const std::vector<std::int64_t>& rows) {
    double count = 0;
    for (const std::int64_t row : rows) {
      const auto place = static_cast<std::size_t>(row);
      // Two subclasses per class: a mislabelled row keeps its true subclass.
      if (lab->data.subclasses[place] / 2 != lab->data.labels[place]) ++count;
    }
    return count / static_cast<double>(rows.size());
  };
  const double share = mislabelled(lab->split.part("train"));
  EXPECT_GT(share, 0.1);
  EXPECT_LT(mislabelled(found.rows), 0.3 * share);
}

TEST(WorstCase, RefusesImpossibleCounts) {
  const auto lab = testing::tiny_lab();
  WorstCaseSettings settings;
  settings.count = 400;
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { find_worst_case(lab, lab->recipe.model, "", settings, 1); }), "400"));
}

}  // namespace
}  // namespace vestige::train
