// The loss attack against scikit-learn's fits in tests/reference, and its own splits.
#include "vestige/metrics/learn/simple_mia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<std::size_t> row_of(const std::vector<double>& table, std::size_t row,
                                std::size_t cols) {
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < cols; ++j) {
    result.push_back(static_cast<std::size_t>(table[row * cols + j]));
  }
  return result;
}

TEST(SimpleMia, ReferenceCases) {
  for (const char* name : {"indistinguishable", "n57_odd"}) {
    const AttackCase test_case("simple_mia", name);
    const std::vector<double> train = test_case.input("train_idx"),
                              test = test_case.input("test_idx");
    std::vector<LabelSplit> splits;
    for (std::size_t k = 0; k < 10; ++k) {
      splits.push_back({row_of(train, k, test_case.columns("train_idx")),
                        row_of(test, k, test_case.columns("test_idx"))});
    }
    const SimpleMia result =
        simple_mia(test_case.input("losses"), as_labels(test_case.input("members")), splits);
    std::vector<double> probabilities;
    for (const std::vector<double>& split : result.probabilities) {
      probabilities.insert(probabilities.end(), split.begin(), split.end());
    }
    test_case.check("scores", result.scores);
    test_case.check("mean", {result.accuracy});
    test_case.check("test_prob", probabilities);
  }
}

TEST(SimpleMia, SeparatedLossesAreFoundOut) {
  std::vector<double> members, others;
  for (int i = 0; i < 60; ++i) members.push_back(0.01 * i);
  for (int i = 0; i < 90; ++i) others.push_back(5 + 0.01 * i);
  const SimpleMia result = simple_mia(members, others, 1);
  EXPECT_DOUBLE_EQ(result.accuracy, 1);
  EXPECT_EQ(result.scores.size(), 10u);
  // 60 per group, 10 % of 120 held out.
  EXPECT_EQ(result.probabilities[0].size(), 12u);
}

TEST(SimpleMia, ConstantLossesAreChance) {
  const std::vector<double> same(40, 1.5);
  EXPECT_DOUBLE_EQ(simple_mia(same, same, 1).accuracy, 0.5);
}

TEST(SimpleMia, DrawsDependOnTheSeedOnly) {
  std::vector<double> members, others;
  for (int i = 0; i < 50; ++i) members.push_back(std::sin(i));
  for (int i = 0; i < 80; ++i) others.push_back(std::cos(i) + 0.3);
  EXPECT_EQ(simple_mia(members, others, 4).scores, simple_mia(members, others, 4).scores);
  EXPECT_NE(simple_mia(members, others, 4).scores, simple_mia(members, others, 5).scores);
}

TEST(SimpleMia, InfiniteLossesAreCutAndNanIsUndefined) {
  std::vector<double> members(30, 0.1), others(30, 2.0);
  others[0] = HUGE_VAL;
  EXPECT_GT(simple_mia(members, others, 1).accuracy, 0.9);
  others[0] = std::nan("");
  EXPECT_TRUE(std::isnan(simple_mia(members, others, 1).accuracy));
}

TEST(SimpleMia, BadInput) {
  const std::vector<double> one{1.0}, many(20, 1.0);
  EXPECT_THROW(simple_mia(one, many, 1), InputError);
  EXPECT_THROW(simple_mia(many, many, 1, {.splits = 0}), InputError);
  EXPECT_THROW(simple_mia(many, std::vector<int>(3, 1), std::vector<LabelSplit>{}), InputError);
}

TEST(StratifiedSplit, KeepsTheProportions) {
  std::vector<int> labels(50, 0);
  labels.resize(150, 1);
  Stream stream(1, "test.split");
  const LabelSplit split = stratified_split(labels, 0.2, stream);
  // ceil(0.2 * 150) = 30 rows held out, 10 of class 0 and 20 of class 1.
  EXPECT_EQ(split.test.size(), 30u);
  EXPECT_EQ(std::count_if(split.test.begin(), split.test.end(),
                          [&](std::size_t row) { return labels[row] == 0; }),
            10);
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
}

TEST(StratifiedSplit, RefusesAnEmptySide) {
  Stream stream(1, "test.split");
  EXPECT_THROW(stratified_split(std::vector<int>{0, 1}, 0.2, stream), InputError);
  EXPECT_THROW(stratified_split(std::vector<int>(10, 1), 0.2, stream), InputError);
}

}  // namespace
}  // namespace vestige::metrics
