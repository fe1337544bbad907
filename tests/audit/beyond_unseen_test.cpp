// Metrics other than the gap to unseen examples that are about forget rows: what a model has lost
// on every row alike is not over-forgetting.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/audit/known_models.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/verdicts/verdict_decision.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/words/verdicts.h"

namespace vestige::audit {
namespace {

/// Moves the second half of a model's test rows to calibration.
void calibrate(Evidence& evidence, Model& model) {
  const Array all = model.outputs.at("test");
  const std::size_t half = all.rows() / 2;
  std::vector<double> values(all.rows() * all.cols());
  for (std::size_t row = 0; row < all.rows(); ++row) {
    all.read_row(row, std::span(values).subspan(row * all.cols(), all.cols()));
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half * all.cols());
  model.outputs["test"] =
      Array::from_doubles(std::vector<double>(values.begin(), middle), {half, all.cols()});
  model.outputs["calibration"] = Array::from_doubles(std::vector<double>(middle, values.end()),
                                                     {all.rows() - half, all.cols()});
  auto& labels = evidence.labels["calibration"];
  if (!labels.empty()) return;
  auto& test = evidence.labels["test"];
  labels.assign(test.begin() + static_cast<std::ptrdiff_t>(half), test.end());
}

/// Noise of two nats on every logit of every split: worse on all rows, whoever saw them.
void dull(Model& model, std::uint64_t seed) {
  for (auto& [split, outputs] : model.outputs) {
    Stream stream(seed, "dull." + split);
    std::vector<double> values(outputs.rows() * outputs.cols());
    for (std::size_t row = 0; row < outputs.rows(); ++row) {
      outputs.read_row(row, std::span(values).subspan(row * outputs.cols(), outputs.cols()));
    }
    for (double& value : values) value += 2 * stream.normal();
    outputs = Array::from_doubles(std::move(values), {outputs.rows(), outputs.cols()});
  }
}

/// Mean conformal.cr.forget of a method in its first setting; of the retrained models if it is
/// empty.
double mean_of(const AuditResult& result, const std::string& method) {
  std::vector<double> values;
  const metrics::Row* first = nullptr;
  for (const metrics::Row& row : result.rows) {
    const bool asked =
        method.empty() ? row.control == metrics::Control::retrained : row.subject.method == method;
    if (row.metric != "conformal.cr.forget" || !asked) continue;
    if (first == nullptr) first = &row;
    if (row.settings == first->settings) values.push_back(row.value);
  }
  return metrics::mean(values);
}

TEST(BeyondUnseen, AModelThatIsDullEverywhereIsNotOverForgotten) {
  std::mt19937_64 generator(1);
  Evidence evidence = draw(known(), 5, generator);
  for (Group& group : evidence.groups) {
    for (std::size_t index = 0; index < group.models.size(); ++index) {
      calibrate(evidence, group.models[index]);
      if (group.method == "fresh") dull(group.models[index], index);
    }
  }
  evidence.labels["test"].resize(evidence.labels["test"].size() -
                                 evidence.labels["calibration"].size());
  const AuditResult result = audit(evidence, {.metrics = {"holdout_gap", "utility", "conformal"}});
  for (const Verdict& verdict : result.verdicts) {
    const auto test =
        std::find_if(verdict.tests.begin(), verdict.tests.end(),
                     [](const VerdictTest& each) { return each.metric == "conformal.cr.forget"; });
    ASSERT_NE(test, verdict.tests.end()) << verdict.method;
    if (verdict.method == "fresh") {
      // By forget examples alone it lies on the far side of retrained by more than the margin.
      EXPECT_LT(mean_of(result, "fresh"), mean_of(result, "") - test->margin);
      EXPECT_EQ(test->shows, Leaning::none) << words::compared(*test);
      EXPECT_NE(verdict.over, Outcome::shown) << words::sentence(verdict);
      EXPECT_NE(verdict.under, Outcome::shown) << words::sentence(verdict);
    }
    // What was never forgotten is still seen by it.
    if (verdict.method == "untouched") {
      EXPECT_EQ(test->shows, Leaning::under) << words::compared(*test);
    }
  }
}

/// A test that is certain: twenty standard errors below retrained.
VerdictTest certain(const std::string& metric, double estimate, Leaning side, bool unseen) {
  VerdictTest test;
  test.metric = metric;
  test.difference = student_difference(estimate, std::abs(estimate) / 20, 30, {});
  test.margin = 0.01;
  test.reference_difference = 0.1;
  test.side = side;
  test.unseen = unseen;
  return test;
}

// Metrics that are not measured on test rows have accuracy there to be read with.
TEST(BeyondUnseen, WhatIsLostOnTestRowsTooIsNotOverForgetting) {
  for (const bool lost : {false, true}) {
    Verdict verdict;
    verdict.form = Form::unseen;
    verdict.tests = {certain("holdout_gap.probability", 0.001, Leaning::under, true),
                     certain("iam.online.mean.forget", -0.05, Leaning::over, false),
                     certain("utility.accuracy.test", lost ? -0.05 : 0.001, Leaning::none, false)};
    read_tests(verdict, {});
    EXPECT_EQ(verdict.tests[1].shows, lost ? Leaning::none : Leaning::over);
    EXPECT_EQ(verdict.tests[1].not_read.code == result::Code::unseen_known_less, lost);
  }
}

}  // namespace
}  // namespace vestige::audit
