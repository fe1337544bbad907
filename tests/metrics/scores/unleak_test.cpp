// UnLeak's features against the reference (equal posteriors as a set) and the attack on pairs whose
// answer is known.
#include "vestige/metrics/scores/unleak.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {
namespace {

Matrix matrix_of(const std::vector<double>& values, std::size_t columns) {
  Matrix result(values.size() / columns, columns);
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

TEST(Unleak, ReferenceFeatures) {
  for (const char* name : {"c4", "c100"}) {
    const AttackCase test_case("unleak_features", name);
    const std::size_t classes = test_case.columns("prob_original");
    const Matrix ours = unleak_features(matrix_of(test_case.input("prob_original"), classes),
                                        matrix_of(test_case.input("prob_unlearned"), classes));
    const Matrix wanted = matrix_of(test_case.expected("feature"), classes);
    ASSERT_EQ(ours.rows(), wanted.rows());
    for (std::size_t row = 0; row < ours.rows(); ++row) {
      std::vector<double> a(ours.row(row).begin(), ours.row(row).end());
      std::vector<double> b(wanted.row(row).begin(), wanted.row(row).end());
      // The original's three largest posteriors differ; the others are equal, in any order.
      std::sort(a.begin(), a.end() - 3);
      std::sort(b.begin(), b.end() - 3);
      for (std::size_t i = 0; i < classes; ++i) EXPECT_NEAR(a[i], b[i], 1e-10);
    }
  }
}

TEST(Unleak, FeaturesByHand) {
  // Original .4 .3 .2 .06 .04 keeps .4 .3 .2, others .05; unlearned .1 .5 .1 .2 .1 keeps .5 .2 and
  // the last of the three .1 in class order, others .1: .1 .5 .1 .2 .1. Ascending by the original:
  // classes 3, 4, 2, 1, 0.
  const Matrix original = matrix_of({.4, .3, .2, .06, .04}, 5);
  const Matrix unlearned = matrix_of({.1, .5, .1, .2, .1}, 5);
  const Matrix features = unleak_features(original, unlearned);
  const std::vector<double> wanted = {-.15, -.05, .1, -.2, .3};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(features(0, i), wanted[i], 1e-15);
}

/// Posteriors over 5 classes that put `confidence` on the first one.
Matrix posteriors(const std::vector<double>& confidence) {
  Matrix result(confidence.size(), 5);
  for (std::size_t row = 0; row < confidence.size(); ++row) {
    result(row, 0) = confidence[row];
    for (std::size_t i = 1; i < 5; ++i) {
      result(row, i) = (1 - confidence[row]) * static_cast<double>(i) / 10;
    }
  }
  return result;
}

std::vector<double> around(double center, std::size_t count, Stream& stream) {
  std::vector<double> values(count);
  for (double& value : values) value = center + 0.1 * (stream.uniform() - 0.5);
  return values;
}

TEST(Unleak, LearnsThatConfidenceFallsOnUnlearnedRows) {
  Stream stream(5, "test.unleak");
  std::vector<UnleakPair> pairs;
  for (int i = 0; i < 2; ++i) {
    pairs.push_back({posteriors(around(.9, 60, stream)), posteriors(around(.7, 60, stream)),
                     posteriors(around(.9, 60, stream)), posteriors(around(.9, 60, stream))});
  }
  const Matrix original = posteriors(around(.9, 80, stream));
  std::vector<double> after = around(.7, 40, stream);  // 40 unlearned rows, then 40 kept ones
  const std::vector<double> kept = around(.9, 40, stream);
  after.insert(after.end(), kept.begin(), kept.end());
  const auto scores = UnleakAttack(pairs).scores(original, posteriors(after));
  const std::span<const double> all(scores);
  EXPECT_GT(auc_of_samples(all.subspan(40), all.first(40)), 0.97);
}

TEST(Unleak, BadInputIsNamed) {
  EXPECT_THROW(unleak_features(Matrix(2, 5), Matrix(3, 5)), InputError);
  EXPECT_THROW(unleak_features(Matrix(2, 3), Matrix(2, 3)), InputError);
  EXPECT_THROW(UnleakAttack(std::span<const UnleakPair>{}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
