// Conformal scores and thresholds against hand calculations and a plain sorted implementation.
#include "vestige/metrics/conformal/conformal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/metrics/conformal/drawn_rows.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using namespace drawn_rows;

// ---- hand calculations ----

TEST(ConformalQuantile, ByHand) {
  std::vector<double> scores(10);
  std::iota(scores.begin(), scores.end(), 1.0);  // 1, ..., 10
  // k = ceil(11 * 0.8) = 9; plain quantile: position 9 * 0.8 = 7.2 behind the first, 8.2.
  EXPECT_EQ(conformal_quantile(scores, 0.2, QuantileRule::finite_sample), 9);
  EXPECT_NEAR(conformal_quantile(scores, 0.2, QuantileRule::paper), 8.2, 1e-14);
  // 11 * 0.95 = 10.45: the 11th smallest of 10.
  EXPECT_EQ(conformal_quantile(scores, 0.05, QuantileRule::finite_sample), kInfinity);
  // 10 * (1 - 0.7) is 3.0000000000000004 in doubles; the rank is 3 all the same.
  scores.pop_back();
  EXPECT_EQ(conformal_quantile(scores, 0.7, QuantileRule::finite_sample), 3);
  EXPECT_EQ(conformal_quantile(std::vector<double>{4}, 0.5, QuantileRule::paper), 4);
  EXPECT_EQ(conformal_quantile(std::vector<double>{4}, 0.5, QuantileRule::finite_sample), 4);
  EXPECT_EQ(conformal_quantile(std::vector<double>{1, kInfinity, 2}, 0.5, QuantileRule::paper), 2);
}

TEST(ConformalThreshold, OrderStatisticIntervalByHand) {
  // n = 10, median: P(B <= 1) = 11/1024 <= .025 < P(B <= 2) = 56/1024, so ranks 2 and 9: the
  // textbook 97.9 % interval of the median of ten.
  std::vector<double> scores(10);
  std::iota(scores.begin(), scores.end(), 1.0);
  Estimate q = conformal_threshold(scores, 0.5, QuantileRule::paper);
  EXPECT_NEAR(q.value, 5.5, 1e-14);
  EXPECT_EQ(q.lower, 2);
  EXPECT_EQ(q.upper, 9);
  // 95 % quantile of ten: P(B = 10) = .95^10 = .599 > .025: no upper rank.
  q = conformal_threshold(scores, 0.05);
  EXPECT_EQ(q.upper, kInfinity);
  EXPECT_GT(q.lower, 0);
  // One score: no lower rank either for the median, P(B <= 0) = .5.
  q = conformal_threshold(std::vector<double>{3}, 0.5);
  EXPECT_EQ(q.lower, 0);
  EXPECT_EQ(q.upper, kInfinity);
}

// The interval holds the true quantile of uniform scores in at least 95 % of 2,000 draws, less
// three standard errors (0.0146).
TEST(ConformalThreshold, IntervalCovers) {
  int hits = 0;
  for (std::uint64_t draw = 0; draw < 2000; ++draw) {
    const Estimate q = conformal_threshold(uniforms(200, draw), 0.1);
    hits += q.lower <= 0.9 && 0.9 <= q.upper ? 1 : 0;
  }
  EXPECT_GE(hits, 2000 * 0.95 - 2000 * 0.0146);
}

TEST(ConformalScores, ByHand) {
  // Order of the first row: class 1 (.5), then 0 and 2 tied at .25, index first.
  const Matrix p = matrix(3, {0.25, 0.5, 0.25});
  const Matrix aps = class_scores(p, {.score = ConformalScore::aps});
  EXPECT_EQ(aps(0, 1), 0.5);
  EXPECT_EQ(aps(0, 0), 0.75);
  EXPECT_EQ(aps(0, 2), 1);
  const std::vector<double> u = {0.25, 0.5, 1};  // by rank
  const Matrix randomised = class_scores(p, {.score = ConformalScore::aps_randomised}, u);
  EXPECT_EQ(randomised(0, 1), 0.375);
  EXPECT_EQ(randomised(0, 0), 0.625);
  EXPECT_EQ(randomised(0, 2), 0.75);
  EXPECT_EQ(class_scores(p)(0, 2), 0.75);
  // Logits 3, 1, 0: gaps above the last are 3 and 1.
  const Matrix z = matrix(3, {3, 1, 0});
  EXPECT_EQ(class_scores(z, {.score = ConformalScore::entmax, .gamma = 1})(0, 2), 3);
  EXPECT_EQ(class_scores(z, {.score = ConformalScore::entmax, .gamma = 2})(0, 2), 4);
  EXPECT_NEAR(class_scores(z, {.score = ConformalScore::entmax, .gamma = 1.5})(0, 2),
              std::sqrt(10.0), 1e-15);
  // gamma 1.25: d = 4, (81 + 1)^(1/4).
  EXPECT_NEAR(class_scores(z, {.score = ConformalScore::entmax, .gamma = 1.25})(0, 2),
              std::pow(82, 0.25), 1e-14);
  EXPECT_EQ(class_scores(z, {.score = ConformalScore::entmax})(0, 0), 0);
}

TEST(ConformalSummary, ByHand) {
  // p > 1 - q = .4: sets {1}, {0, 1}, {}; labels 1, 2, 0.
  const Matrix p = matrix(3, {0.2, 0.7, 0.1, 0.45, 0.45, 0.1, 0.3, 0.3, 0.4});
  const std::vector<std::int64_t> labels = {1, 2, 0};
  const PredictionSets sets = prediction_sets(p, 0.6, kBelow);
  EXPECT_EQ(sets.members(0), (std::vector<std::size_t>{1}));
  EXPECT_EQ(sets.members(1), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(sets.members(2).empty());
  const CoverageSummary summary = summarise_sets(sets, labels);
  EXPECT_DOUBLE_EQ(summary.coverage, 1.0 / 3);
  EXPECT_DOUBLE_EQ(summary.set_size, 1);
  EXPECT_DOUBLE_EQ(summary.cr, 1.0 / 3);
  EXPECT_EQ(summary.empty, 1u);
  // At 1 - p = q exactly the two rules part: 1 - .4 = .6.
  EXPECT_EQ(prediction_sets(p, 1 - 0.4, kAtMost).members(2), (std::vector<std::size_t>{2}));
}

TEST(FakeForgetting, ByHand) {
  // Predicted 1, 0 (tie: lowest index), 2; labels 1, 1, 0: two mis-labels, one of them in the set.
  const Matrix p = matrix(3, {0.2, 0.7, 0.1, 0.45, 0.45, 0.1, 0.3, 0.2, 0.5});
  const std::vector<std::int64_t> labels = {1, 1, 0};
  const FakeForgetting fake = fake_forgetting(p, prediction_sets(p, 0.6, kAtMost), labels);
  EXPECT_EQ(fake.mislabel, 2u);
  EXPECT_EQ(fake.in_set, 1u);
  EXPECT_DOUBLE_EQ(fake.ratio, 0.5);
  EXPECT_EQ(fake.mislabelled, (std::vector<double>{0, 1, 1}));
}

TEST(ConformalUndefined, IsNaN) {
  const Matrix p = matrix(2, {0.6, 0.4, 0.7, 0.3});
  const std::vector<std::int64_t> right = {0, 0};
  const PredictionSets empty = prediction_sets(p, 0, kAtMost);
  const CoverageSummary summary = summarise_sets(empty, right);
  EXPECT_EQ(summary.coverage, 0);
  EXPECT_EQ(summary.set_size, 0);
  EXPECT_TRUE(std::isnan(summary.cr)) << "all sets are empty";
  EXPECT_TRUE(std::isnan(fake_forgetting(p, empty, right).ratio)) << "nothing is mis-labelled";
  EXPECT_TRUE(std::isnan(summarise_sets(PredictionSets(0, 3), {}).coverage)) << "no rows";
  EXPECT_TRUE(ratio_terms(std::vector<double>{0, 0}, std::vector<double>{0, 0}).empty());
}

TEST(RatioTerms, MeanIsTheRatio) {
  const std::vector<double> top = {1, 0, 1, 1}, bottom = {2, 1, 1, 3};
  const std::vector<double> terms = ratio_terms(top, bottom);
  EXPECT_NEAR(std::accumulate(terms.begin(), terms.end(), 0.0) / 4, 3.0 / 7, 1e-15);
  // First row by hand: r + (1 - 2 r) / 1.75 with r = 3/7.
  EXPECT_NEAR(terms[0], 3.0 / 7 + (1 - 6.0 / 7) / 1.75, 1e-15);
}

// ---- plain oracles ----

TEST(Aps, AgreesWithThePlainSort) {
  for (const double step : {0.0, 0.5}) {
    const Rows rows = draw_rows(60, 1000, 3, step, 11);
    const std::vector<double> u = uniforms(60 * 1000, 12);
    for (const bool randomised : {false, true}) {
      const ScoreOptions options{.score = randomised ? ConformalScore::aps_randomised
                                                     : ConformalScore::aps};
      const std::span<const double> given =
          randomised ? std::span<const double>(u) : std::span<const double>();
      const Matrix plain = plain_aps(rows.probabilities, given);
      const Matrix ours = class_scores(rows.probabilities, options, given);
      for (std::size_t k = 0; k < plain.values().size(); ++k) {
        // Ours adds terms rounded to 2^-52, the plain sums are rounded as they go: 1,000 terms.
        ASSERT_NEAR(ours.values()[k], plain.values()[k], 3e-13);
      }
      for (const double q : {0.0, 0.1, 0.5, 0.9, 0.999, 1.5}) {
        const PredictionSets sets = prediction_sets(rows.probabilities, q, kAtMost, options, given);
        for (std::size_t i = 0; i < 60; ++i) {
          for (std::size_t j = 0; j < 1000; ++j) {
            if (std::abs(plain(i, j) - q) < 3e-13) continue;
            ASSERT_EQ(sets.contains(i, j), plain(i, j) <= q) << i << " " << j << " q " << q;
          }
        }
      }
    }
  }
}

// Calibration and prediction give a row the same score, bit for bit.
TEST(CalibrationScores, EqualTheClassScores) {
  const Rows rows = draw_rows(200, 31, 2, 0.5, 22);
  for (const ConformalScore score :
       {ConformalScore::scp, ConformalScore::aps, ConformalScore::entmax}) {
    const Matrix& outputs = score == ConformalScore::entmax ? rows.logits : rows.probabilities;
    const auto calibrated = calibration_scores(outputs, rows.labels, {.score = score});
    const Matrix scores = class_scores(outputs, {.score = score});
    for (std::size_t i = 0; i < 200; ++i) {
      ASSERT_EQ(calibrated[i], scores(i, static_cast<std::size_t>(rows.labels[i]))) << name(score);
    }
  }
}

// ---- bad input ----

TEST(ConformalBadInput, IsRefusedInASentence) {
  const Matrix p = matrix(2, {0.6, 0.4, 0.7, 0.3});
  const std::vector<std::int64_t> labels = {0, 1};
  const std::vector<double> scores = {0.1, 0.2};
  for (const double alpha : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    EXPECT_THROW(conformal_quantile(scores, alpha), InputError) << alpha;
  }
  EXPECT_THROW(conformal_quantile({}, 0.1), InputError);
  EXPECT_THROW(conformal_quantile(std::vector<double>{0.1, std::nan("")}, 0.1), InputError);
  EXPECT_THROW(calibration_scores(p, std::vector<std::int64_t>{0}), InputError);
  EXPECT_THROW(calibration_scores(p, std::vector<std::int64_t>{0, 2}), InputError);
  EXPECT_THROW(calibration_scores(p, std::vector<std::int64_t>{0, -1}), InputError);
  EXPECT_THROW(prediction_sets(matrix(2, {3, -1}), 0.5, kAtMost), InputError) << "logits";
  EXPECT_THROW(prediction_sets(matrix(2, {std::nan(""), 1}), 0.5, kAtMost), InputError);
  EXPECT_THROW(prediction_sets(p, std::nan(""), kAtMost), InputError);
  EXPECT_THROW(prediction_sets(p, 0.5, kAtMost, {}, std::vector<double>{0.5}), InputError);
  EXPECT_THROW(class_scores(p, {.score = ConformalScore::entmax, .gamma = 0.5}), InputError);
  EXPECT_THROW(class_scores(matrix(2, {kInfinity, 1}), {.score = ConformalScore::entmax}),
               InputError);
  EXPECT_THROW(summarise_sets(PredictionSets(2, 2), std::vector<std::int64_t>{0}), InputError);
  EXPECT_THROW(conformal_score("reaps"), InputError);
  EXPECT_THROW(quantile_rule("numpy"), InputError);
  EXPECT_EQ(conformal_score("lac"), ConformalScore::scp);
}

}  // namespace
}  // namespace vestige::metrics
