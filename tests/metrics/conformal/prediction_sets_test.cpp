// Prediction sets: a plain version, the coverage guarantee, and what holds for any set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/metrics/conformal/drawn_rows.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics {
namespace {

using namespace drawn_rows;

// Sets by selection equal sets by comparing every score, at q equal to scores of the rows
// themselves: the ties that rounding would decide otherwise.
TEST(PredictionSets, AgreeWithScoresAtEquality) {
  for (const double step : {0.0, 1.0}) {
    const Rows rows = draw_rows(40, 23, 2, step, 21);
    for (const ConformalScore score : {ConformalScore::scp, ConformalScore::aps,
                                       ConformalScore::aps_randomised, ConformalScore::entmax}) {
      for (const double gamma : {1.0, 1.25, 1.5, 2.0, 3.0}) {
        const ScoreOptions options{.score = score, .gamma = gamma, .seed = 5};
        const Matrix& outputs = score == ConformalScore::entmax ? rows.logits : rows.probabilities;
        const Matrix scores = class_scores(outputs, options);
        for (const std::size_t pick : {0u, 17u, 150u, 300u, 500u, 901u}) {
          const double q = scores.values()[pick];
          const PredictionSets at_most = prediction_sets(outputs, q, kAtMost, options);
          const PredictionSets below = prediction_sets(outputs, q, kBelow, options);
          for (std::size_t i = 0; i < scores.rows(); ++i) {
            for (std::size_t j = 0; j < scores.cols(); ++j) {
              ASSERT_EQ(at_most.contains(i, j), scores(i, j) <= q) << name(score) << gamma;
              ASSERT_EQ(below.contains(i, j), scores(i, j) < q) << name(score) << gamma;
            }
          }
        }
        if (score != ConformalScore::entmax) break;
      }
    }
  }
}

// Exchangeable rows: mean coverage over 40 splits lies in [1 - alpha, 1 - alpha + 1/(n+1)] up to
// three standard errors; one split's coverage has variance below alpha(1-alpha)(1/n + 1/m), which
// for n = m = 500 and 40 splits gives 3 * 0.0030. APS without randomisation may cover more.
TEST(Coverage, HoldsForExchangeableRows) {
  const double alpha = 0.1;
  for (const ConformalScore score : {ConformalScore::scp, ConformalScore::aps,
                                     ConformalScore::aps_randomised, ConformalScore::entmax}) {
    double sum = 0;
    for (std::uint64_t split = 0; split < 40; ++split) {
      const Rows calibration = draw_rows(500, 8, 2, 0, 100 + split);
      const Rows test = draw_rows(500, 8, 2, 0, 900 + split);
      const bool raw = score == ConformalScore::entmax;
      const ScoreOptions options{.score = score, .seed = split};
      const double q = conformal_quantile(
          calibration_scores(raw ? calibration.logits : calibration.probabilities,
                             calibration.labels, options),
          alpha);
      sum += summarise_sets(
                 prediction_sets(raw ? test.logits : test.probabilities, q, kAtMost, options),
                 test.labels)
                 .coverage;
    }
    EXPECT_GE(sum / 40, 1 - alpha - 0.009) << name(score);
    if (score != ConformalScore::aps) {
      EXPECT_LE(sum / 40, 1 - alpha + 1.0 / 501 + 0.009) << name(score);
    }
  }
}

// The largest output has the least score, so any set that is not empty holds it.
TEST(PredictionSets, HoldTheLargestOutputWhenNotEmpty) {
  const Rows rows = draw_rows(300, 12, 1, 0, 31);
  for (const ConformalScore score :
       {ConformalScore::scp, ConformalScore::aps, ConformalScore::entmax}) {
    const Matrix& outputs = score == ConformalScore::entmax ? rows.logits : rows.probabilities;
    for (const double q : {0.3, 0.6, 0.95, kInfinity}) {
      const PredictionSets sets = prediction_sets(outputs, q, kAtMost, {.score = score});
      for (std::size_t i = 0; i < 300; ++i) {
        const auto row = outputs.row(i);
        const auto top =
            static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
        ASSERT_EQ(sets.contains(i, top), sets.size(i) > 0) << name(score) << " q " << q;
        if (std::isinf(q)) {
          ASSERT_EQ(sets.size(i), 12u);
        }
      }
    }
  }
}

TEST(PredictionSets, FollowAClassPermutation) {
  const Rows rows = draw_rows(50, 70, 2, 0, 41);
  const std::vector<std::size_t> order = Stream(1, "permute").permutation(70);
  for (const ConformalScore score :
       {ConformalScore::scp, ConformalScore::aps, ConformalScore::entmax}) {
    const Matrix& outputs = score == ConformalScore::entmax ? rows.logits : rows.probabilities;
    Matrix moved(50, 70);
    for (std::size_t i = 0; i < 50; ++i) {
      for (std::size_t j = 0; j < 70; ++j) moved(i, order[j]) = outputs(i, j);
    }
    const PredictionSets before = prediction_sets(outputs, 0.9, kAtMost, {.score = score});
    const PredictionSets after = prediction_sets(moved, 0.9, kAtMost, {.score = score});
    for (std::size_t i = 0; i < 50; ++i) {
      for (std::size_t j = 0; j < 70; ++j) {
        ASSERT_EQ(before.contains(i, j), after.contains(i, order[j])) << name(score);
      }
    }
  }
}

TEST(PredictionSets, AreTheSameForOneAndManyThreads) {
  const Rows rows = draw_rows(500, 20, 2, 0, 51);
  const ScoreOptions options{.score = ConformalScore::aps_randomised, .seed = 3};
  set_threads(1);
  const auto scores = calibration_scores(rows.probabilities, rows.labels, options);
  const PredictionSets one = prediction_sets(rows.probabilities, 0.8, kAtMost, options);
  set_threads(0);
  EXPECT_EQ(scores, calibration_scores(rows.probabilities, rows.labels, options));
  const PredictionSets many = prediction_sets(rows.probabilities, 0.8, kAtMost, options);
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(one.members(i), many.members(i));
}

}  // namespace
}  // namespace vestige::metrics
