// The attack behind MIAU: draws, classifiers and what is refused.
#include "vestige/metrics/learn/pair_attack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/boosted_trees.h"
#include "vestige/metrics/learn/logistic.h"

namespace vestige::metrics {
namespace {

Matrix normal_rows(std::size_t rows, std::size_t cols, double shift, std::uint64_t index) {
  Stream stream(9, "test.pair_attack", index);
  Matrix result(rows, cols);
  for (double& value : result.values()) value = stream.normal() + shift;
  return result;
}

TEST(PairDraw, MatchesSizesAndHoldsOutAFifth) {
  Stream stream(1, "test.draw");
  const PairDraw draw = draw_pair(50, 300, stream);
  EXPECT_EQ(draw.first.size(), 50u);
  EXPECT_EQ(draw.second.size(), 50u);
  EXPECT_EQ(draw.split.test.size(), 20u);
  EXPECT_EQ(std::count_if(draw.split.test.begin(), draw.split.test.end(),
                          [](std::size_t row) { return row < 50; }),
            10);
  const std::set<std::size_t> distinct(draw.second.begin(), draw.second.end());
  EXPECT_EQ(distinct.size(), 50u);
  EXPECT_LT(*distinct.rbegin(), 300u);
}

TEST(PairDraw, DependsOnTheStreamOnly) {
  Stream one(3, "test.draw"), same(3, "test.draw"), other(4, "test.draw");
  const PairDraw draw = draw_pair(40, 80, one);
  EXPECT_EQ(draw.second, draw_pair(40, 80, same).second);
  EXPECT_NE(draw.second, draw_pair(40, 80, other).second);
  Stream limited(3, "test.draw");
  EXPECT_EQ(draw_pair(40, 80, limited, {.max_rows = 10}).first.size(), 10u);
}

TEST(PairAttack, CountsWhatTheClassifierGetsRight) {
  // Plain oracle: the same rows gathered by hand, fitted and counted.
  const Matrix first = normal_rows(60, 3, 0.8, 0), second = normal_rows(90, 3, 0, 1);
  Stream stream(2, "test.draw");
  const PairDraw draw = draw_pair(60, 90, stream);
  const auto row = [&](std::size_t index) {
    return index < 60 ? first.row(draw.first[index]) : second.row(draw.second[index - 60]);
  };
  Matrix train(draw.split.train.size(), 3);
  std::vector<int> labels;
  for (std::size_t i = 0; i < draw.split.train.size(); ++i) {
    std::ranges::copy(row(draw.split.train[i]), train.row(i).begin());
    labels.push_back(draw.split.train[i] < 60 ? 1 : 0);
  }
  const LogisticModel model = fit_logistic(train, labels);
  double right = 0;
  for (const std::size_t index : draw.split.test) {
    right += model.predict(row(index)) == (index < 60 ? 1 : 0) ? 1 : 0;
  }
  const PairAttack attack = pair_attack(PairSide({first}), PairSide({second}), draw);
  EXPECT_DOUBLE_EQ(attack.accuracy, right / 24);
  EXPECT_EQ(attack.held_out, 24u);
  EXPECT_EQ(attack.rows, 120u);
  EXPECT_FALSE(attack.constant);
}

TEST(PairAttack, EveryClassifierSeesAClearDifference) {
  const Matrix first = normal_rows(80, 2, 6, 2), second = normal_rows(80, 2, 0, 3);
  Stream stream(1, "test.draw");
  const PairDraw draw = draw_pair(80, 80, stream);
  for (const AttackClassifier classifier :
       {AttackClassifier::logistic, AttackClassifier::svc_rbf, AttackClassifier::xgboost}) {
    EXPECT_GT(pair_attack(PairSide({first}), PairSide({second}), draw, classifier).accuracy, 0.95)
        << name(classifier);
  }
}

TEST(PairAttack, NonlinearDifferencesNeedMoreThanLogistic) {
  // A ring around a blob: no line separates them, a kernel and trees do.
  Matrix ring(100, 2), blob = normal_rows(100, 2, 0, 4);
  for (std::size_t i = 0; i < 100; ++i) {
    ring(i, 0) = 6 * std::cos(static_cast<double>(i));
    ring(i, 1) = 6 * std::sin(static_cast<double>(i));
  }
  Stream stream(1, "test.draw");
  const PairDraw draw = draw_pair(100, 100, stream);
  const PairSide first({ring}), second({blob});
  EXPECT_LT(pair_attack(first, second, draw).accuracy, 0.75);
  EXPECT_GT(pair_attack(first, second, draw, AttackClassifier::svc_rbf).accuracy, 0.95);
  EXPECT_GT(pair_attack(first, second, draw, AttackClassifier::xgboost).accuracy, 0.9);
}

TEST(PairAttack, StackedSidesEqualOneMatrix) {
  const Matrix first = normal_rows(30, 2, 1, 5), second = normal_rows(50, 2, 0, 6);
  Matrix upper(10, 2), lower(20, 2);
  std::copy_n(first.values().begin(), 20, upper.values().begin());
  std::copy_n(first.values().begin() + 20, 40, lower.values().begin());
  Stream one(1, "test.draw"), same(1, "test.draw");
  EXPECT_EQ(
      pair_attack(PairSide({first}), PairSide({second}), draw_pair(30, 50, one)).accuracy,
      pair_attack(PairSide({upper, lower}), PairSide({second}), draw_pair(30, 50, same)).accuracy);
}

TEST(PairAttack, ConstantFeaturesAreChance) {
  const Matrix zeros(40, 3);
  Stream stream(1, "test.draw");
  const PairAttack attack =
      pair_attack(PairSide({zeros}), PairSide({zeros}), draw_pair(40, 40, stream));
  EXPECT_DOUBLE_EQ(attack.accuracy, 0.5);
  EXPECT_TRUE(attack.constant);
}

TEST(PairAttack, BadInput) {
  const Matrix wide = normal_rows(8, 10, 0, 7), narrow = normal_rows(8, 2, 0, 8);
  Stream stream(1, "test.draw");
  const PairDraw draw = draw_pair(8, 8, stream);
  EXPECT_THROW(pair_attack(PairSide({wide}), PairSide({wide}), draw), InputError);
  EXPECT_NO_THROW(pair_attack(PairSide({wide}), PairSide({wide}), draw, AttackClassifier::xgboost));
  EXPECT_THROW(pair_attack(PairSide({wide}), PairSide({narrow}), draw), InputError);
  EXPECT_THROW(PairSide({wide, narrow}), InputError);
  EXPECT_THROW(draw_pair(1, 9, stream), InputError);
  EXPECT_THROW(attack_classifier("forest"), InputError);
}

TEST(BoostedTrees, SameBytesEveryTime) {
  const Matrix rows = normal_rows(60, 4, 0, 9);
  std::vector<int> labels(60);
  for (std::size_t i = 0; i < 60; ++i) labels[i] = rows(i, 1) > 0.2 ? 1 : 0;
  const std::vector<double> once = boosted_trees(rows, labels, rows);
  EXPECT_EQ(once, boosted_trees(rows, labels, rows));
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(once[i] > 0.5 ? 1 : 0, labels[i]);
}

TEST(BoostedTrees, BadInput) {
  Matrix rows(4, 2);
  const std::vector<int> labels{0, 1, 0, 1};
  EXPECT_THROW(boosted_trees(rows, std::vector<int>{0, 1}, rows), InputError);
  EXPECT_THROW(boosted_trees(rows, labels, Matrix(4, 3)), InputError);
  EXPECT_THROW(boosted_trees(rows, labels, rows, {.rounds = 0}), InputError);
  EXPECT_THROW(boosted_trees(rows, std::vector<int>{0, 1, 2, 1}, rows), InputError);
  rows(1, 1) = std::nan("");
  EXPECT_THROW(boosted_trees(rows, labels, rows), InputError);
}

TEST(PairAttack, AStartFromAnotherDrawChangesNothing) {
  const Matrix first = normal_rows(400, 5, 0.3, 20), second = normal_rows(500, 5, 0, 21);
  const PairSide one({first}), other({second});
  Stream stream(2, "test.start");
  const LogisticStart start =
      pair_start(one, other, draw_pair(400, 500, stream), AttackClassifier::logistic);
  ASSERT_FALSE(start.weights.empty());
  for (int repeat = 0; repeat < 5; ++repeat) {
    const PairDraw draw = draw_pair(400, 500, stream);
    const PairAttack plain = pair_attack(one, other, draw);
    const PairAttack near = pair_attack(one, other, draw, AttackClassifier::logistic, 1, &start);
    EXPECT_EQ(near.accuracy, plain.accuracy);
    EXPECT_EQ(near.held_out, plain.held_out);
  }
  EXPECT_TRUE(pair_start(one, other, draw_pair(400, 500, stream), AttackClassifier::svc_rbf)
                  .weights.empty());
}

}  // namespace
}  // namespace vestige::metrics
