// Prediction sets: a plain version, the coverage guarantee, and what holds for any set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/metrics/conformal/drawn_rows.h"
#include "vestige/base/context.h"
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
  const Context alone({.threads = 1});
  const auto scores =
      alone.run([&] { return calibration_scores(rows.probabilities, rows.labels, options); });
  const PredictionSets one =
      alone.run([&] { return prediction_sets(rows.probabilities, 0.8, kAtMost, options); });
  EXPECT_EQ(scores, calibration_scores(rows.probabilities, rows.labels, options));
  const PredictionSets many = prediction_sets(rows.probabilities, 0.8, kAtMost, options);
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(one.members(i), many.members(i));
}

// Plain forms beside the sorted APS of drawn_rows.h: RAPS adds 0.2 for every rank behind the
// second; SAPS is u p_max first and p_max + 0.2 (rank - 2 + u) then, ranks from 1. Ties included.
TEST(RankScores, AgainstPlainForms) {
  for (const double step : {0.0, 1.0}) {
    const Rows rows = draw_rows(60, 7, 1.5, step, 9);
    const Matrix& p = rows.probabilities;
    const std::vector<double> u = uniforms(60 * 7, 4), one_u = uniforms(60, 5);
    const Matrix aps = plain_aps(p, {});
    Matrix raps(60, 7), saps(60, 7);
    std::vector<double> raps_own(60), saps_own(60);
    for (std::size_t i = 0; i < 60; ++i) {
      std::vector<std::size_t> order(7);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return p(i, a) > p(i, b); });
      for (std::size_t rank = 1; rank <= 7; ++rank) {
        const std::size_t j = order[rank - 1];
        const auto at = [&](double draw) {
          return rank == 1 ? draw * p(i, order[0])
                           : p(i, order[0]) + 0.2 * (static_cast<double>(rank) - 2 + draw);
        };
        raps(i, j) = aps(i, j) + (rank > 2 ? 0.2 * (static_cast<double>(rank) - 2) : 0);
        saps(i, j) = at(u[i * 7 + rank - 1]);
        if (static_cast<std::int64_t>(j) == rows.labels[i]) {
          raps_own[i] = raps(i, j);
          saps_own[i] = at(one_u[i]);
        }
      }
    }
    const ScoreOptions as_raps{.score = ConformalScore::raps};
    const ScoreOptions as_saps{.score = ConformalScore::saps};
    const auto near = [](std::span<const double> left, std::span<const double> right) {
      ASSERT_EQ(left.size(), right.size());
      for (std::size_t i = 0; i < left.size(); ++i) EXPECT_NEAR(left[i], right[i], 1e-12) << i;
    };
    near(class_scores(p, as_raps).values(), raps.values());
    near(class_scores(p, as_saps, u).values(), saps.values());
    near(calibration_scores(p, rows.labels, as_raps), raps_own);
    near(calibration_scores(p, rows.labels, as_saps, one_u), saps_own);
    const double q = 0.9137;
    const PredictionSets sets = prediction_sets(p, q, kAtMost, as_saps, u);
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(sets.contains(i, j), saps(i, j) <= q);
    }
  }
  const Rows rows = draw_rows(4, 3, 1, 0, 1);
  EXPECT_THROW(class_scores(rows.probabilities, {.score = ConformalScore::raps, .penalty = -1}),
               InputError);
}

// Coverage of drawn rows that are exchangeable with the calibration rows: 1 - alpha to three
// standard errors, 3 sqrt(.1 * .9 * 2 / 1000) = 0.04.
TEST(RankScores, SetsCover) {
  const Rows calibration = draw_rows(1000, 8, 1.5, 0, 21), test = draw_rows(1000, 8, 1.5, 0, 22);
  for (const ConformalScore score : {ConformalScore::raps, ConformalScore::saps}) {
    const ScoreOptions options{.score = score};
    const double q = conformal_quantile(
        calibration_scores(calibration.probabilities, calibration.labels, options), 0.1);
    const auto sets = prediction_sets(test.probabilities, q, kAtMost, options);
    EXPECT_NEAR(summarise_sets(sets, test.labels).coverage, 0.9, 0.04) << name(score);
  }
}

}  // namespace
}  // namespace vestige::metrics
