// Random forests: hand calculations, an exhaustive search as oracle, and properties.
#include "vestige/metrics/learn/random_forest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {
namespace {

Matrix column_of(const std::vector<double>& values) {
  Matrix result(values.size(), 1);
  for (std::size_t row = 0; row < values.size(); ++row) result(row, 0) = values[row];
  return result;
}

TEST(random_forest, one_stump_by_hand) {
  // Between 2 and 5 the sides are 0, 0, 1 and 1, 1, 1: weighted Gini 3 * 2 * 1/3 * 2/3 = 4/3 and 0.
  // Between 1 and 2: 0, 0 and 1, 1, 1, 1: 0. So the cut is at 1.5.
  const Matrix train = column_of({0, 1, 2, 5, 6, 7});
  const std::vector<int> labels = {0, 0, 1, 1, 1, 1};
  const ForestOptions stump{.trees = 1, .depth = 1, .fewest = 1, .bootstrap = false};
  const Matrix test = column_of({-3, 1.5, 1.6, 9});
  EXPECT_EQ(random_forest(train, labels, test, stump), (std::vector<double>{0, 0, 1, 1}));
  // Leaves of three rows: 0, 0, 1 and 1, 1, 1, cut at 3.5.
  const ForestOptions wide{.trees = 1, .depth = 1, .fewest = 3, .bootstrap = false};
  const std::vector<double> shares = random_forest(train, labels, test, wide);
  EXPECT_NEAR(shares[0], 1. / 3, 1e-15);
  EXPECT_NEAR(shares[2], 1. / 3, 1e-15);
  EXPECT_EQ(shares[3], 1);
  // No cut leaves four rows on both sides: the share of all.
  const ForestOptions none{.trees = 1, .depth = 1, .fewest = 4, .bootstrap = false};
  EXPECT_NEAR(random_forest(train, labels, test, none)[3], 4. / 6, 1e-15);
}

TEST(random_forest, depth_two_takes_what_depth_one_cannot) {
  // Class 1 only where both features are 1; of 0, 0 there are two, so that no single cut is pure.
  Matrix train(8, 2);
  std::vector<int> labels;
  for (std::size_t row = 0; row < 8; ++row) {
    train(row, 0) = static_cast<double>(row & 1U);
    train(row, 1) = static_cast<double>((row >> 1U) & 1U);
    labels.push_back((row & 3U) == 3 ? 1 : 0);
  }
  ForestOptions options{.trees = 1, .depth = 1, .fewest = 1, .features = 2, .bootstrap = false};
  EXPECT_EQ(random_forest(train, labels, train, options)[3], 0.5);
  options.depth = 2;
  const std::vector<double> found = random_forest(train, labels, train, options);
  for (std::size_t row = 0; row < 8; ++row) EXPECT_EQ(found[row], labels[row]);
}

/// The lowest weighted Gini impurity of any single cut, by trying all of them.
double best_impurity(const Matrix& train, const std::vector<int>& labels, std::size_t fewest) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t feature = 0; feature < train.cols(); ++feature) {
    for (std::size_t cut = 0; cut < train.rows(); ++cut) {
      double rows[2] = {0, 0}, members[2] = {0, 0};
      for (std::size_t row = 0; row < train.rows(); ++row) {
        const int side = train(row, feature) <= train(cut, feature) ? 0 : 1;
        rows[side] += 1;
        members[side] += labels[row];
      }
      if (rows[0] < static_cast<double>(fewest) || rows[1] < static_cast<double>(fewest)) continue;
      double impurity = 0;
      for (const int side : {0, 1}) {
        impurity += 2 * members[side] * (1 - members[side] / rows[side]);
      }
      best = std::min(best, impurity);
    }
  }
  return best;
}

TEST(random_forest, a_stump_on_all_features_is_the_best_cut) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Stream stream(seed, "random_forest_test");
    Matrix train(40, 5);
    std::vector<int> labels;
    for (double& value : train.values()) value = static_cast<double>(stream.below(6));
    for (std::size_t row = 0; row < 40; ++row) labels.push_back(static_cast<int>(stream.below(2)));
    const std::vector<double> shares = random_forest(
        train, labels, train,
        {.trees = 1, .depth = 1, .fewest = 5, .features = 5, .bootstrap = false, .seed = seed});
    // The impurity of the two leaves, from the shares that the stump gives its own rows.
    double impurity = 0;
    for (const double share : shares) impurity += 2 * share * (1 - share);
    EXPECT_NEAR(impurity, best_impurity(train, labels, 5), 1e-12) << seed;
  }
}

TEST(random_forest, learns_and_does_not_invent) {
  Stream stream(1, "random_forest_test.noise");
  Matrix train(400, 30), test(400, 30);
  std::vector<int> labels, truth, coins;
  for (Matrix* matrix : {&train, &test}) {
    for (std::size_t row = 0; row < matrix->rows(); ++row) {
      for (std::size_t feature = 0; feature < matrix->cols(); ++feature) {
        (*matrix)(row, feature) = stream.normal();
      }
      (matrix == &train ? labels : truth).push_back((*matrix)(row, 7) > 0 ? 1 : 0);
    }
  }
  for (int row = 0; row < 400; ++row) coins.push_back(static_cast<int>(stream.below(2)));
  const std::vector<double> found = random_forest(train, labels, test);
  EXPECT_GT(auc(found, truth), 0.95);
  for (const double value : found) EXPECT_TRUE(value >= 0 && value <= 1) << value;
  // Coins for test rows too, which no score can know: the standard error of an AUC of 200 + 200
  // rows is 0.029.
  std::vector<int> others;
  for (int row = 0; row < 400; ++row) others.push_back(static_cast<int>(stream.below(2)));
  EXPECT_NEAR(auc(random_forest(train, coins, test), others), 0.5, 3.5 * 0.029);
  EXPECT_EQ(found, random_forest(train, labels, test));
  EXPECT_NE(found, random_forest(train, labels, test, {.seed = 2}));
}

TEST(random_forest, mistakes_and_edges) {
  const Matrix train = column_of({1, 1, 1});
  EXPECT_EQ(random_forest(train, std::vector<int>{0, 0, 0}, train)[0], 0);
  EXPECT_TRUE(testing::holds(testing::error_of([&] {
                               random_forest(train, std::vector<int>{0, 1}, train);
                             }),
                             {"3 rows and 2 labels"}));
  EXPECT_TRUE(testing::holds(testing::error_of([&] {
                               random_forest(train, std::vector<int>{0, 1, 2}, train);
                             }),
                             {"label 2", "0 or 1"}));
  EXPECT_TRUE(testing::holds(testing::error_of([&] {
                               random_forest(train, std::vector<int>{0, 1, 0}, Matrix(1, 2));
                             }),
                             {"1 training and 2 test features"}));
}

}  // namespace
}  // namespace vestige::metrics
