// Conformal scores, thresholds and sets against reference cases: TorchCP and the paper's equations
// (see tests/reference/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/metrics/conformal/conformal_cases.h"
#include "tests/metrics/conformal/drawn_rows.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics {
namespace {

using namespace drawn_rows;
using vestige::testing::open_case;
using vestige::testing::ReferenceCase;

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << what << " at " << i;
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(actual[i], expected[i]) << what << " at " << i;
    } else {
      EXPECT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))
          << what << " at " << i;
    }
  }
}

void check_reference_score(const ReferenceCase& reference, const std::string& prefix,
                           const ScoreOptions& options) {
  const bool raw = options.score == ConformalScore::entmax;
  const bool exact = reference.json.at("case") == "n19_exact" && prefix == "aps";
  Matrix calibration = reference.input("cal_logits").matrix();
  Matrix test = reference.input("test_logits").matrix();
  if (!raw) {
    calibration = softmax(calibration);
    test = softmax(test);
  }
  std::vector<double> u_calibration, u_test;
  if (options.score == ConformalScore::aps_randomised) {
    u_calibration = reference.input("u_cal").values;
    u_test = reference.input("u_test").values;
  }
  const double tolerance = reference.json.at("tolerance").at("abs").get<double>();
  const auto labels = reference.input("cal_labels").integers<std::int64_t>();
  const auto test_labels = reference.input("test_labels").integers<std::int64_t>();
  const auto scores = calibration_scores(calibration, labels, options, u_calibration);
  expect_near(scores, reference.expected(prefix + "_cal_scores").values, tolerance, prefix);
  const Matrix all = class_scores(test, options, u_test);
  expect_near({all.values().begin(), all.values().end()},
              reference.expected(prefix + "_test_scores").values, tolerance, prefix);
  const double q =
      conformal_quantile(scores, reference.json.at("params").at("alpha").get<double>(), kAtMost);
  expect_near({q}, {reference.number(prefix + "_q")}, tolerance, prefix + "_q");
  for (const bool strict : {false, true}) {
    const std::string suffix = strict ? "_lt" : "_le";
    const PredictionSets sets =
        prediction_sets(test, q, strict ? kBelow : kAtMost, options, u_test);
    const std::vector<double> expected = reference.expected(prefix + "_sets" + suffix).values;
    bool rounded = false;
    for (std::size_t i = 0; i < sets.rows(); ++i) {
      for (std::size_t j = 0; j < sets.classes(); ++j) {
        const bool inside = expected[i * sets.classes() + j] != 0;
        // In n19_exact q is the sum of a whole row, 1 up to rounding: which of the other whole-row
        // sums are below it was decided by the last bits of torch's softmax and running sum.
        const double distance = std::abs(all(i, j) - q);
        if (sets.contains(i, j) != inside && exact && distance <= 4.5e-16) {
          rounded = true;
          continue;
        }
        EXPECT_EQ(sets.contains(i, j), inside) << prefix << suffix << " row " << i << " class " << j
                                               << " score " << all(i, j) << " q " << q;
      }
    }
    if (rounded) continue;
    const CoverageSummary summary = summarise_sets(sets, test_labels);
    expect_near(
        {summary.coverage, summary.set_size, summary.cr},
        {reference.number(prefix + "_coverage" + suffix),
         reference.number(prefix + "_setsize" + suffix), reference.number(prefix + "_CR" + suffix)},
        tolerance, prefix + suffix);
  }
}

TEST(ConformalReference, ScoresSetsAndSummaries) {
  for (const std::string name : {"c10_a05", "n19_exact", "perfect_c6", "ties_c5", "tiny_n5"}) {
    SCOPED_TRACE(name);
    const ReferenceCase reference = open_case("conformal/" + name);
    check_reference_score(reference, "lac", {.score = ConformalScore::scp});
    check_reference_score(reference, "aps", {.score = ConformalScore::aps});
    check_reference_score(reference, "aps_rand", {.score = ConformalScore::aps_randomised});
    check_reference_score(reference, "entmax1", {.score = ConformalScore::entmax, .gamma = 1});
    check_reference_score(reference, "entmax15", {.score = ConformalScore::entmax, .gamma = 1.5});
    check_reference_score(reference, "entmax2", {.score = ConformalScore::entmax, .gamma = 2});
  }
}

TEST(ConformalReference, Quantiles) {
  for (const std::string name : {"n100_a10", "n19_a05", "n2000_a05", "n20_a05", "ties"}) {
    SCOPED_TRACE(name);
    const ReferenceCase reference = open_case("conformal_quantile/" + name);
    const std::vector<double> scores = reference.input("scores").values;
    const double alpha = reference.json.at("params").at("alpha").get<double>();
    expect_near({conformal_quantile(scores, alpha, QuantileRule::finite_sample)},
                {reference.number("q_torchcp")}, 1e-12, "finite_sample");
    expect_near({conformal_quantile(scores, alpha, QuantileRule::paper)},
                {reference.number("q_numpy_linear_1ma")}, 1e-12, "paper");
  }
}

}  // namespace
}  // namespace vestige::metrics
