// Attack features by hand.
#include "vestige/metrics/inputs/attack_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/simple_mia.h"

namespace vestige::metrics {
namespace {

Matrix log_rows() {
  Matrix rows(2, 3);
  const double p[] = {0.2, 0.5, 0.3, 1, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) rows.values()[i] = std::log(p[i]);
  return rows;
}

TEST(AttackFeatures, SoftmaxInClassOrderAndSorted) {
  EXPECT_DOUBLE_EQ(softmax_features(log_rows())(0, 1), 0.5);
  const Matrix sorted = sorted_softmax_features(log_rows());
  EXPECT_DOUBLE_EQ(sorted(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(sorted(0, 1), 0.3);
  EXPECT_DOUBLE_EQ(sorted(0, 2), 0.2);
}

TEST(AttackFeatures, TrueClassByHand) {
  const Matrix features = true_class_features(log_rows(), std::vector<std::int64_t>{2, 1});
  EXPECT_DOUBLE_EQ(features(0, 0), 0.3);
  EXPECT_DOUBLE_EQ(features(0, 1), -std::log(0.3));
  EXPECT_NEAR(features(0, 2), -(0.2 * std::log(0.2) + 0.5 * std::log(0.5) + 0.3 * std::log(0.3)),
              1e-15);
  EXPECT_DOUBLE_EQ(features(0, 3), 0.3 - 0.5);
  // Probability 0 costs the largest loss, and 0 ln 0 = 0.
  EXPECT_DOUBLE_EQ(features(1, 1), kLargestLoss);
  EXPECT_DOUBLE_EQ(features(1, 2), 0);
  EXPECT_DOUBLE_EQ(features(1, 3), -1);
}

TEST(AttackFeatures, BadInput) {
  EXPECT_THROW(true_class_losses(log_rows(), std::vector<std::int64_t>{0}), InputError);
  EXPECT_THROW(true_class_losses(log_rows(), std::vector<std::int64_t>{0, 3}), InputError);
  EXPECT_THROW(true_class_features(log_rows(), std::vector<std::int64_t>{0, -1}), InputError);
  EXPECT_THROW(attack_features("pixels"), InputError);
  EXPECT_EQ(attack_features("sorted_softmax"), AttackFeatures::sorted_softmax);
}

}  // namespace
}  // namespace vestige::metrics
