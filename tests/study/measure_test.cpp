// Measures and badness on rows made by hand.
#include "vestige/study/measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/study/study_rows.h"

namespace vestige::study {
namespace {

TEST(Measure, BadnessFollowsTheDirection) {
  using metrics::Direction;
  const std::vector<StudyRow> rows = make_all({
      {.model = "unlearned/a/0", .value = 0.3, .direction = Direction::lower},
      {.model = "unlearned/a/0", .value = 0.3, .direction = Direction::higher},
      {.model = "unlearned/a/0", .value = 0.3, .direction = Direction::match, .reference = 0.5},
      {.model = "unlearned/a/0", .value = 0.3, .direction = Direction::match},
  });
  const std::vector<double> seen = badness(rows);
  EXPECT_DOUBLE_EQ(seen[0], 0.3);
  EXPECT_DOUBLE_EQ(seen[1], -0.3);
  EXPECT_DOUBLE_EQ(seen[2], 0.2);
  EXPECT_TRUE(std::isnan(seen[3]));  // neither reference nor ideal
}

TEST(Measure, BadnessFallsBackToTheIdeal) {
  StudyRow row =
      make({.model = "unlearned/a/0", .value = 0.7, .direction = metrics::Direction::match});
  row.row.ideal = 0.5;
  EXPECT_NEAR(badness({row})[0], 0.2, 1e-15);
}

TEST(Measure, RetrainedModelsAreComparedWithTheNext) {
  std::vector<StudyRow> rows;
  for (const double value : {0.5, 0.6, 0.9}) {
    rows.push_back(
        make({.model = "retrained/0", .value = value, .direction = metrics::Direction::match}));
  }
  rows.push_back(make({.model = "retrained/0",
                       .value = 3,
                       .split_seed = 2,
                       .direction = metrics::Direction::match}));  // alone in its audit
  const std::vector<double> seen = badness(rows);
  EXPECT_NEAR(seen[0], 0.1, 1e-15);
  EXPECT_NEAR(seen[1], 0.3, 1e-15);
  EXPECT_NEAR(seen[2], 0.4, 1e-15);
  EXPECT_TRUE(std::isnan(seen[3]));
}

TEST(Measure, ControlsByNameAreNoMethods) {
  const auto method = [](const std::string& model) {
    return is_method(metrics::parse_subject(model));
  };
  EXPECT_TRUE(method("unlearned/finetune/0"));
  EXPECT_FALSE(method("unlearned/identity/0"));
  EXPECT_FALSE(method("unlearned/collapse/0"));
  EXPECT_FALSE(method("unlearned/retrain/0"));
  EXPECT_FALSE(method("retrained/0"));
}

TEST(Measure, TheFirstSettingWithAMethodStandsForItsMetric) {
  const Json ten = {{"models", 10}};
  const Json five = {{"models", 5}};
  const std::vector<StudyRow> rows = make_all({
      {.model = "original", .value = 1, .params = ten},
      {.model = "unlearned/a", .value = metrics::kUndefined, .params = ten},
      {.model = "unlearned/a", .value = 1, .params = five},
      {.model = "unlearned/a", .value = 1, .audit = "other", .params = ten},
  });
  EXPECT_EQ(measures(rows).size(), 3u);
  const std::vector<Measure> main = measures(rows, {"main"}, false);
  ASSERT_EQ(main.size(), 1u);
  EXPECT_EQ(label(main[0]), "attacks.loss.auc (models=5)");
  EXPECT_EQ(label(main[0], true), "attacks.loss.auc (models=5), audit main");
}

}  // namespace
}  // namespace vestige::study
