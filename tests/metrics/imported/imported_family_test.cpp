// Means of imported scores, calculated by hand.
#include "vestige/metrics/imported/imported_family.h"

#include <gtest/gtest.h>

#include "tests/metrics/support/measured.h"

namespace vestige::metrics {

TEST(ImportedFamily, MeanIntervalAndDeclaredDirection) {
  evidence::Evidence evidence;
  evidence.score_directions["judge"] = "lower";
  evidence::Model model;
  model.role = "original";
  model.name = "0";
  model.scores["judge"]["forget"] = evidence::Array::from_doubles({0.2, 0.6}, {2});
  evidence.groups.push_back({"original", "", {model}});
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = {"original", "", "0"};
  comparison.candidate = {&evidence.groups[0].models[0]};
  EXPECT_TRUE(imported_family().support(evidence).supported);
  const Measurements out = measured(imported_family(), comparison);
  ASSERT_EQ(out.rows.size(), 1U);
  const Row& row = out.rows[0];
  EXPECT_NEAR(row.value, 0.4, 1e-12);
  // Two values 0.4 apart: standard error 0.2, one degree of freedom, t = 12.7062.
  EXPECT_NEAR(row.upper - row.value, 12.7062 * 0.2, 1e-4);
  EXPECT_EQ(row.n, 2U);
  EXPECT_EQ(row.direction, Direction::lower);
  EXPECT_EQ(row.settings["score"], "judge");
  EXPECT_EQ(row.settings["split"], "forget");
  // No verdict rests on it.
  EXPECT_FALSE(imported_family().metrics[0].speech.has_value());
  EXPECT_FALSE(imported_family().metrics[0].shows_forgetting);
}

}  // namespace vestige::metrics
