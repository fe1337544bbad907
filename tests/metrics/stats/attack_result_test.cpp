// DeLong's interval against its definition over all pairs, and low false positive rates by hand.
#include "vestige/metrics/stats/attack_result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Structural components of DeLong et al. (1988) by comparing every pair.
double plain_error(const std::vector<double>& x, const std::vector<double>& y) {
  const auto wins = [](double a, double b) { return a > b ? 1.0 : a == b ? 0.5 : 0.0; };
  std::vector<double> v10(x.size()), v01(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      v10[i] += wins(x[i], y[j]) / static_cast<double>(y.size());
      v01[j] += wins(x[i], y[j]) / static_cast<double>(x.size());
    }
  }
  return std::sqrt(variance(v10) / static_cast<double>(x.size()) +
                   variance(v01) / static_cast<double>(y.size()));
}

TEST(AttackResult, DeLongIsThatOfAllPairs) {
  Stream stream(1, "test.delong");
  for (int round = 0; round < 20; ++round) {
    std::vector<double> x(30), y(17);
    for (double& value : x) value = static_cast<double>(stream.below(9)) + 1;
    for (double& value : y) value = static_cast<double>(stream.below(9));
    const Estimate interval = auc_interval(x, y);
    EXPECT_DOUBLE_EQ(interval.value, auc_of_samples(x, y));
    // 1.959964 = the 97.5 % point of the normal distribution.
    EXPECT_NEAR(interval.value - interval.lower, 1.959963984540054 * plain_error(x, y), 1e-12);
  }
}

TEST(AttackResult, CoversTheTrueAuc) {
  // Normal scores one apart: the AUC is Phi(1 / sqrt 2) = 0.760250.
  int covered = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    Stream stream(round, "test.delong.coverage");
    std::vector<double> x(60), y(60);
    for (double& value : x) value = stream.normal() + 1;
    for (double& value : y) value = stream.normal();
    const Estimate interval = auc_interval(x, y);
    covered += interval.lower <= 0.7602499 && interval.upper >= 0.7602499 ? 1 : 0;
  }
  EXPECT_GE(covered, 364);  // 91 %; 95 % +- 4 standard errors of 1.1 %
  EXPECT_LE(covered, 397);
}

TEST(AttackResult, SeparatedSamplesKeepAWidth) {
  const std::vector<double> high = {3, 4, 5}, low = {0, 1, 2, 2.5};
  const Estimate up = auc_interval(high, low);
  EXPECT_EQ(up.value, 1);
  EXPECT_EQ(up.upper, 1);
  EXPECT_NEAR(up.lower, std::pow(0.025, 1.0 / 3), 1e-12);  // Clopper-Pearson, 3 of 3
  const Estimate down = auc_interval(low, high);
  EXPECT_EQ(down.value, 0);
  EXPECT_NEAR(down.upper, 1 - std::pow(0.025, 1.0 / 3), 1e-12);
  const std::vector<double> equal(5, 2.0);
  const Estimate tied = auc_interval(equal, equal);
  EXPECT_EQ(tied.value, 0.5);
  EXPECT_EQ(tied.lower, 0.5);
  EXPECT_EQ(tied.upper, 0.5);
}

TEST(AttackResult, NoAnswerIsNan) {
  const std::vector<double> some = {1, 2}, bad = {1, kUndefined}, one = {1.5};
  EXPECT_TRUE(std::isnan(auc_interval({}, some).value));
  EXPECT_TRUE(std::isnan(auc_interval(some, bad).value));
  const Estimate single = auc_interval(some, one);
  EXPECT_EQ(single.value, 0.5);
  EXPECT_TRUE(std::isnan(single.lower));
  for (const LowRate& rate : evaluate_attack(some, bad).rates) EXPECT_FALSE(rate.resolvable);
}

TEST(AttackResult, RatesNeedEnoughRows) {
  // 100 non-members 0 .. 99, members 0.5 .. 199.5: above 99 (FPR 0) are 100 of 200 members, above
  // 98 (FPR 1 %) one more; 0.1 % of 100 rows is less than one row.
  std::vector<double> members, nonmembers;
  for (int i = 0; i < 200; ++i) members.push_back(i + 0.5);
  for (int i = 0; i < 100; ++i) nonmembers.push_back(i);
  const AttackResult result = evaluate_attack(members, nonmembers);
  ASSERT_EQ(result.rates.size(), 4U);
  EXPECT_TRUE(result.rates[0].resolvable);
  EXPECT_DOUBLE_EQ(result.rates[0].tpr.value, 102.0 / 200);
  EXPECT_FALSE(result.rates[1].resolvable);
  EXPECT_TRUE(std::isnan(result.rates[1].tpr.value));
  EXPECT_FALSE(result.rates[2].resolvable);
  EXPECT_TRUE(result.rates[3].resolvable);
  EXPECT_DOUBLE_EQ(result.rates[3].tpr.value, 101.0 / 200);
}

}  // namespace
}  // namespace vestige::metrics
