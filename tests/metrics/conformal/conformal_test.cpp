// Conformal scores, thresholds and sets against reference cases, hand calculations, a plain sorted
// implementation, and the coverage guarantee.
#include "vestige/metrics/conformal/conformal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "tests/metrics/conformal/conformal_cases.h"
#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using vestige::testing::open_case;
using vestige::testing::ReferenceCase;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr QuantileRule kAtMost = QuantileRule::finite_sample;  // sets by <=
constexpr QuantileRule kBelow = QuantileRule::paper;           // sets by <

Matrix softmax(const Matrix& logits) {
  Matrix result(logits.rows(), logits.cols());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const auto row = logits.row(i);
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += result(i, j) = std::exp(row[j] - top);
    for (double& value : result.row(i)) value /= sum;
  }
  return result;
}

struct Rows {
  Matrix logits;
  Matrix probabilities;
  std::vector<std::int64_t> labels;
};

/// Normal logits with the label's raised; `step` > 0 rounds them to a grid, which makes ties.
Rows draw_rows(std::size_t count, std::size_t classes, double lift, double step,
               std::uint64_t seed) {
  Rows rows{Matrix(count, classes), {}, std::vector<std::int64_t>(count)};
  Stream stream(seed, "conformal_test");
  for (std::size_t i = 0; i < count; ++i) {
    rows.labels[i] = static_cast<std::int64_t>(stream.below(classes));
    for (double& value : rows.logits.row(i)) value = 2 * stream.normal();
    rows.logits(i, static_cast<std::size_t>(rows.labels[i])) += lift;
    if (step > 0) {
      for (double& value : rows.logits.row(i)) value = step * std::round(value / step);
    }
  }
  rows.probabilities = softmax(rows.logits);
  return rows;
}

Matrix matrix(std::size_t cols, const std::vector<double>& values) {
  Matrix result(values.size() / cols, cols);
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

/// The plain version: sort each row, add up in double in sorted order.
Matrix plain_aps(const Matrix& probabilities, std::span<const double> u) {
  Matrix scores(probabilities.rows(), probabilities.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::vector<std::size_t> order(scores.cols());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return probabilities(i, a) > probabilities(i, b);
    });
    double sum = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const double p = probabilities(i, order[rank]);
      sum += p;
      scores(i, order[rank]) = sum - (u.empty() ? 0 : u[i * scores.cols() + rank]) * p;
    }
  }
  return scores;
}

std::vector<double> uniforms(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, "conformal_test.u");
  std::vector<double> values(count);
  for (double& value : values) value = stream.uniform();
  return values;
}

// ---- reference cases (TorchCP and the paper's equations; see tests/reference/README.md) ----

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

// ---- properties ----

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
  EXPECT_THROW(conformal_score("raps"), InputError);
  EXPECT_THROW(quantile_rule("numpy"), InputError);
  EXPECT_EQ(conformal_score("lac"), ConformalScore::scp);
}

}  // namespace
}  // namespace vestige::metrics
