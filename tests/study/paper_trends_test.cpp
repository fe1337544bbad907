// Checks of orders and trends: every outcome on rows made by hand.
#include <gtest/gtest.h>

#include "tests/study/study_checks.h"
#include "tests/study/study_rows.h"
#include "vestige/study/paper_checks.h"

namespace vestige::study {
namespace {

std::vector<StudyRow> graded(double step, double noise) {
  std::vector<StudyRow> rows;
  const char* roles[] = {"original", "partial/25", "partial/50", "retrained"};
  for (int model = 0; model < 3; ++model) {
    for (int place = 0; place < 4; ++place) {
      rows.push_back(make({.model = std::string(roles[place]) + "/" + std::to_string(model),
                           .value = 10 + step * place + noise * ((model + place) % 3 - 1),
                           .metric = "miau.score"}));
    }
  }
  return rows;
}

const std::string kGradesRise =
    "ordered = [{metric = 'miau.score', method = 'original'}, {metric = 'miau.score', method = "
    "'partial/25'}, {metric = 'miau.score', method = 'partial/50'}, {metric = 'miau.score', method "
    "= 'retrained'}]\nis = 'rising'\n";

TEST(Findings, OrderedNeedsEveryStep) {
  EXPECT_EQ(evaluate(kGradesRise, graded(10, 0.1)).outcome, CheckOutcome::held);
  EXPECT_EQ(evaluate(kGradesRise, graded(-10, 0.1)).outcome, CheckOutcome::did_not_hold);
  EXPECT_EQ(evaluate(kGradesRise, graded(0.1, 5)).outcome, CheckOutcome::inconclusive);
}

TEST(Findings, TrendOverVariants) {
  std::vector<StudyRow> rows;
  const char* variants[] = {"5 %", "10 %", "20 %"};
  for (std::uint64_t split = 1; split <= 3; ++split) {
    for (int variant = 0; variant < 3; ++variant) {
      rows.push_back(make({.model = "retrained/0",
                           .value = 0.5 + 0.1 * variant,
                           .metric = "sde.otr",
                           .variant = variants[variant],
                           .split_seed = split}));
    }
  }
  const std::string body =
      "over = 'variant'\nat = ['5 %', '10 %', '20 %']\n"
      "values = {metric = 'sde.otr', method = 'retrained'}\nis = ";
  const CheckResult rising = evaluate(body + "'rising'\n", rows);
  EXPECT_EQ(rising.outcome, CheckOutcome::held);  // p = (1 / 6)^3
  EXPECT_EQ(rising.n, 3u);
  ASSERT_EQ(rising.reasons.at(0).code, result::Code::trend_over);
  const auto& means = std::get<result::Reasons>(argument(rising.reasons[0], "means"));
  ASSERT_EQ(means.size(), 3u);
  EXPECT_EQ(argument(means[2], "point"), result::Argument(std::string("20 %")));
  EXPECT_NEAR(std::get<double>(argument(means[2], "value")), 0.7, 1e-12);
  EXPECT_EQ(evaluate(body + "'falling'\n", rows).outcome, CheckOutcome::did_not_hold);
  rows.resize(3);  // one split: p = 1 / 6
  EXPECT_EQ(evaluate(body + "'rising'\n", rows).outcome, CheckOutcome::inconclusive);
}

TEST(Findings, TrendOverAParameter) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 2; ++model) {
    for (const double alpha : {0.05, 0.1, 0.15, 0.2}) {
      rows.push_back(make({.model = "unlearned/a/" + std::to_string(model),
                           .value = 1 - alpha,
                           .metric = "conformal.coverage.forget",
                           .params = {{"alpha", alpha}}}));
    }
  }
  const CheckResult seen = evaluate(
      "over = 'alpha'\nat = [0.05, 0.1, 0.15, 0.2]\n"
      "values = {metric = 'conformal.coverage.forget', method = 'a'}\nis = 'falling'\n",
      rows);
  EXPECT_EQ(seen.outcome, CheckOutcome::held);  // p = (1 / 24)^2
  EXPECT_EQ(seen.n, 2u);
}

}  // namespace
}  // namespace vestige::study
