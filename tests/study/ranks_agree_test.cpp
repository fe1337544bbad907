// Do two parts of an experiment order methods alike?
#include "vestige/study/ranks_agree.h"

#include <gtest/gtest.h>

#include "tests/study/study_checks.h"
#include "tests/study/study_rows.h"

namespace vestige::study {
namespace {

std::vector<StudyRow> two_variants(bool turned) {
  std::vector<StudyRow> rows;
  const char* methods[] = {"a", "b", "c", "d", "e"};
  for (const char* variant : {"first", "second"}) {
    for (int model = 0; model < 4; ++model) {
      for (int method = 0; method < 5; ++method) {
        const int place = turned && variant[0] == 's' ? 4 - method : method;
        rows.push_back(make(
            {.model = std::string("unlearned/") + methods[method] + "/" + std::to_string(model),
             .value = place + 0.01 * model,
             .metric = "iam.online.bce",
             .variant = variant}));
      }
    }
  }
  return rows;
}

TEST(Findings, RanksAgreeOrNot) {
  const std::string body =
      "ranks_agree = {metric = 'iam.online.bce', between = ['first', 'second'], least = 0.6}\n";
  const CheckResult same = evaluate(body, two_variants(false));
  EXPECT_EQ(same.outcome, CheckOutcome::held);
  EXPECT_DOUBLE_EQ(same.estimate.value, 1);
  EXPECT_EQ(same.n, 5u);
  const CheckResult turned = evaluate(body, two_variants(true));
  EXPECT_EQ(turned.outcome, CheckOutcome::did_not_hold);
  EXPECT_DOUBLE_EQ(turned.estimate.value, -1);
  // One model per variant: no resampling; 5 methods in one order of 120, p = 2 / 120.
  std::vector<StudyRow> few = two_variants(false);
  std::erase_if(few, [](const StudyRow& row) { return !row.row.subject.id().ends_with("/0"); });
  EXPECT_EQ(evaluate(body, few).outcome, CheckOutcome::held);
  std::erase_if(few, [](const StudyRow& row) {
    return row.row.subject.id() == "unlearned/d/0" || row.row.subject.id() == "unlearned/e/0";
  });
  EXPECT_EQ(evaluate(body, few).outcome, CheckOutcome::inconclusive);  // p = 2 / 6
}

// Audits of a setup hold the whole pool's numbers too, which are the same in every setup.
TEST(Findings, SetupsAreComparedByTheirOwnNumbers) {
  std::vector<StudyRow> rows;
  const char* methods[] = {"a", "b", "c", "d", "e"};
  for (const char* setup : {"full", "bootstrap"}) {
    for (int method = 0; method < 5; ++method) {
      const auto add = [&](double value, const Json& params) {
        rows.push_back(make({.model = std::string("unlearned/") + methods[method],
                             .value = value,
                             .metric = "epsilon.f_score",
                             .variant = setup,
                             .direction = metrics::Direction::higher,
                             .params = params}));
      };
      add(method, {{"models", 8}});
      add(setup[0] == 'f' ? method : -method, {{"models", 4}, {"setup", setup}});
    }
  }
  const CheckResult seen = evaluate(
      "ranks_agree = {metric = 'epsilon.f_score', between = ['full', 'bootstrap'], least = 0.6}\n"
      "exact = true\n",
      rows);
  EXPECT_DOUBLE_EQ(seen.estimate.value, -1);
  EXPECT_EQ(seen.outcome, CheckOutcome::did_not_hold);
  // A side without the setup: what both have is compared.
  const CheckResult mixed = evaluate(
      "left = {metric = 'epsilon.f_score', method = 'e', variant = 'bootstrap'}\nis = 'above'\n"
      "right = {metric = 'epsilon.f_score', method = 'a', variant = 'bootstrap', params = {models "
      "= 8}}"
      "\nexact = true\n",
      rows);
  EXPECT_DOUBLE_EQ(mixed.estimate.value, 4);
}

}  // namespace
}  // namespace vestige::study
