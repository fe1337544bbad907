// Bootstrap intervals: determinism, agreement of the mean's shortcut with the general form,
// coverage.
#include "vestige/metrics/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<double> skewed(std::uint64_t index, std::size_t count) {
  Stream stream(3, "test.bootstrap", index);
  std::vector<double> values(count);
  for (double& value : values) value = -std::log(1 - stream.uniform());
  return values;
}

IndexStatistic mean_of(const std::vector<double>& values) {
  return [&values](std::span<const std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += values[row];
    return sum / static_cast<double>(rows.size());
  };
}

TEST(Bootstrap, MeanShortcutEqualsTheGeneralForm) {
  const std::vector<double> values = skewed(0, 40);
  for (const BootstrapKind kind : {BootstrapKind::percentile, BootstrapKind::bca}) {
    const BootstrapOptions options{.replicates = 500, .kind = kind};
    const Estimate general = bootstrap(values.size(), mean_of(values), options);
    const Estimate shortcut = bootstrap_mean(values, options);
    EXPECT_DOUBLE_EQ(general.value, shortcut.value);
    EXPECT_NEAR(general.lower, shortcut.lower, 1e-9);
    EXPECT_NEAR(general.upper, shortcut.upper, 1e-9);
  }
}

TEST(Bootstrap, SameBytesForAnyThreadCount) {
  const std::vector<double> values = skewed(1, 100);
  const Estimate one = Context({.threads = 1}).run([&] { return bootstrap_mean(values); });
  const Estimate four = Context({.threads = 4}).run([&] { return bootstrap_mean(values); });
  EXPECT_EQ(one.lower, four.lower);
  EXPECT_EQ(one.upper, four.upper);
}

TEST(Bootstrap, BcaShiftsTowardsTheSkew) {
  // Exponential data are skewed to the right: the acceleration is positive, so both ends move up.
  const std::vector<double> values = skewed(2, 30);
  const Estimate plain = bootstrap_mean(values, {.kind = BootstrapKind::percentile});
  const Estimate corrected = bootstrap_mean(values, {.kind = BootstrapKind::bca});
  EXPECT_GT(corrected.upper, plain.upper);
  EXPECT_GT(corrected.lower, plain.lower);
}

TEST(Bootstrap, CoversTheMean) {
  // 200 exponential samples of 50 with true mean 1. A nominal 95 % interval covers 190 +- 6 times
  // (binomial sd 3.1); bootstrap intervals of skewed data undercover a little.
  int covered = 0;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const std::vector<double> values = skewed(100 + sample, 50);
    const Estimate interval = bootstrap_mean(values, {.replicates = 400, .seed = sample});
    if (interval.lower <= 1 && 1 <= interval.upper) ++covered;
  }
  EXPECT_GE(covered, 176);
  EXPECT_LE(covered, 199);
}

TEST(Bootstrap, ConstantDataHaveAPointInterval) {
  const std::vector<double> values(10, 4.0);
  const Estimate interval = bootstrap_mean(values);
  EXPECT_EQ(interval.lower, 4.0);
  EXPECT_EQ(interval.upper, 4.0);
}

TEST(Bootstrap, UndefinedAndBadInput) {
  EXPECT_TRUE(std::isnan(bootstrap_mean({}).value));
  EXPECT_TRUE(std::isnan(bootstrap_mean(std::vector<double>{1}).lower));
  EXPECT_TRUE(std::isnan(bootstrap_mean(std::vector<double>{1, std::nan("")}).lower));
  EXPECT_THROW(bootstrap_mean(std::vector<double>{1, 2}, {.level = 1}), InputError);
  EXPECT_THROW(bootstrap_mean(std::vector<double>{1, 2}, {.replicates = 0}), InputError);
}

// Each column by itself, from draws that are kept, is the oracle: the same sums in the same order.
TEST(BootstrapMeans, AreThoseOfSingleColumns) {
  const std::vector<double> first = skewed(7, 203), second = skewed(8, 203), constant(203, 2.0);
  std::vector<double> broken = first;
  broken[5] = std::nan("");
  const std::vector<std::span<const double>> columns = {first, broken, second, constant};
  for (const BootstrapKind kind : {BootstrapKind::percentile, BootstrapKind::bca}) {
    const BootstrapOptions options{.replicates = 300, .kind = kind, .seed = 4, .purpose = "means"};
    const std::vector<Estimate> found = bootstrap_means(columns, options);
    BootstrapCounts counts;
    for (const std::size_t column : {0U, 2U, 3U}) {
      const Estimate alone = bootstrap_mean(columns[column], options, &counts);
      EXPECT_EQ(found[column].value, alone.value);
      EXPECT_EQ(found[column].lower, alone.lower);
      EXPECT_EQ(found[column].upper, alone.upper);
    }
    EXPECT_TRUE(std::isnan(found[1].value) && std::isnan(found[1].lower));
  }
  // Longer than the pieces that sums are taken in, and not a multiple of four.
  const std::vector<double> third = skewed(9, 9'003), fourth = skewed(10, 9'003);
  const std::vector<std::span<const double>> lengthy = {third, fourth};
  const BootstrapOptions options{.replicates = 21, .seed = 4, .purpose = "means"};
  const std::vector<Estimate> found = bootstrap_means(lengthy, options);
  BootstrapCounts counts;
  for (std::size_t column = 0; column < lengthy.size(); ++column) {
    const Estimate alone = bootstrap_mean(lengthy[column], options, &counts);
    EXPECT_EQ(found[column].lower, alone.lower);
    EXPECT_EQ(found[column].upper, alone.upper);
  }
  EXPECT_TRUE(bootstrap_means({}).empty());
  const std::span<const double> single(first.data(), 1);
  EXPECT_TRUE(std::isnan(bootstrap_means({&single, 1}).front().lower));
}

// The plain bootstrap is the oracle: the same draws, summed in another order.
TEST(BootstrapCounts, GivesThePlainInterval) {
  BootstrapCounts counts;
  for (const std::size_t size : {2U, 3U, 50U, 1003U}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      std::vector<double> values(size);
      Stream stream(seed, "test.bootstrap_counts", size);
      for (double& value : values) value = stream.normal();
      // Not BCa, which asks whether a replicate equals the mean to the last bit.
      const BootstrapOptions options{
          .replicates = 500, .kind = BootstrapKind::percentile, .seed = seed};
      for (int round = 0; round < 2; ++round) {
        const Estimate plain = bootstrap_mean(values, options);
        const Estimate kept = bootstrap_mean(values, options, &counts);
        EXPECT_EQ(kept.value, plain.value);
        if (std::isnan(plain.lower)) {
          EXPECT_TRUE(std::isnan(kept.lower));
          continue;
        }
        EXPECT_NEAR(kept.lower, plain.lower, 1e-14);
        EXPECT_NEAR(kept.upper, plain.upper, 1e-14);
        values.front() += 1;
      }
    }
  }
}

// 2,000 replicates of 100,000 rows would be 200 MB.
TEST(BootstrapCounts, HoldsNoMoreThanItsRoom) {
  BootstrapCounts counts;
  EXPECT_TRUE(counts.of(100'000, {}).empty());
  EXPECT_EQ(counts.of(10, {.replicates = 7}).size(), 70U);
}

}  // namespace
}  // namespace vestige::metrics
