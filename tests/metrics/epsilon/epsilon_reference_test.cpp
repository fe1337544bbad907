// Reference mode against its plain twin (every threshold pair, every model) and the public cases.
#include "vestige/metrics/epsilon/epsilon_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/metrics/epsilon/epsilon_oracle.h"
#include "vestige/audit/conformance/conformance.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using Sample = std::vector<double>;

float share(const Sample& values, double lower, double upper, bool inside) {
  std::size_t count = 0;
  for (const double value : values) count += (value >= lower && value <= upper) == inside ? 1 : 0;
  return static_cast<float>(count) / static_cast<float>(values.size());
}

// One attack in float32, NaN ignored by fmax.
float attack(float fpr, float fnr) {
  if (fpr == 0 && fnr == 0) return std::numeric_limits<float>::infinity();
  if (fpr == 0 || fnr == 0) return std::numeric_limits<float>::quiet_NaN();
  const auto rest = static_cast<float>(1 - 1e-5);
  const float larger =
      std::fmax(std::log(rest - fpr) - std::log(fnr), std::log(rest - fnr) - std::log(fpr));
  return std::isnan(larger) ? larger : std::max(larger, 0.0F);
}

// The grids of the specification, by comparing every model with every threshold.
oracle::Result plain(const Sample& unlearned, const Sample& retrained) {
  oracle::Result result;
  result.positive_is_retrained = oracle::median(retrained) > oracle::median(unlearned);
  const Sample& positive = result.positive_is_retrained ? retrained : unlearned;
  const Sample& negative = result.positive_is_retrained ? unlearned : retrained;
  const double positive_range = oracle::range(positive);
  const double negative_range = oracle::range(negative);
  const double infinity = std::numeric_limits<double>::infinity();
  float single = std::numeric_limits<float>::quiet_NaN();
  const Sample pooled = oracle::distinct_values(unlearned, retrained);
  const auto points = static_cast<std::size_t>(std::ceil((pooled.back() - pooled.front()) * 100));
  for (const float cut : torch_linspace(pooled.front(), pooled.back(), points)) {
    const auto lower = static_cast<double>(cut);
    single = std::fmax(single, attack(share(negative, lower, infinity, true),
                                      share(positive, lower, infinity, false)));
  }
  if (std::min(positive_range, negative_range) / std::max(positive_range, negative_range) < 0.01) {
    result.single = std::isnan(single) ? oracle::kNaN : std::min(static_cast<double>(single), 50.0);
    result.double_threshold = result.epsilon = 50;
    return result;
  }
  const Sample& peaky = positive_range < negative_range ? positive : negative;
  const Sample& other = positive_range < negative_range ? negative : positive;
  const double smallest = *std::min_element(peaky.begin(), peaky.end());
  const double largest = *std::max_element(peaky.begin(), peaky.end());
  const double width = largest - smallest;
  float pair = std::numeric_limits<float>::quiet_NaN();
  std::vector<double> rights(
      static_cast<std::size_t>(std::ceil((largest + 2 - (smallest + width - 2)) * 100)));
  numpy_linspace(smallest + width - 2, largest + 2, rights);
  std::vector<double> lefts(400);
  for (const double right : rights) {
    numpy_linspace(right - width - 2, right - width + 2, lefts);
    for (const double left : lefts) {
      pair = std::fmax(pair,
                       attack(share(other, left, right, true), share(peaky, left, right, false)));
    }
  }
  result.single = std::min(static_cast<double>(single), 50.0);
  result.double_threshold = std::min(static_cast<double>(pair), 50.0);
  if (std::isnan(single)) result.single = oracle::kNaN;
  if (std::isnan(pair)) result.double_threshold = oracle::kNaN;
  result.epsilon = std::fmax(result.single, result.double_threshold);
  return result;
}

bool same(double left, double right) {
  return (std::isnan(left) && std::isnan(right)) || left == right;
}

TEST(EpsilonReference, EqualsThePlainGrids) {
  for (std::uint64_t index = 0; index < 60; ++index) {
    Stream stream(1, "epsilon_reference_test", index);
    Sample unlearned(1 + stream.below(12));
    Sample retrained(1 + stream.below(12));
    const double width = 0.005 + 2 * stream.uniform() * stream.uniform();
    // Multiples of 0.01 or 0.5 fall on grid points and make ties; others fall between.
    const double unit = std::vector<double>{1e-9, 0.01, 0.5}[stream.below(3)];
    for (double& value : unlearned) value = unit * std::round(stream.normal() / unit);
    for (double& value : retrained) value = unit * std::round((width * stream.normal() + 1) / unit);
    const Epsilon fast = reference_epsilon(unlearned, retrained);
    const oracle::Result slow = plain(unlearned, retrained);
    EXPECT_TRUE(same(fast.epsilon, slow.epsilon) && same(fast.single, slow.single) &&
                same(fast.double_threshold, slow.double_threshold))
        << index << ": " << fast.epsilon << " = max(" << fast.single << ", "
        << fast.double_threshold << ") against " << slow.epsilon << " = max(" << slow.single << ", "
        << slow.double_threshold << ")";
    EXPECT_EQ(fast.positive_is_retrained, slow.positive_is_retrained);
  }
}

TEST(EpsilonReference, AgreesWithThePublicScorerOnItsCases) {
  const auto folder = std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/dm_epsilon";
  std::size_t rows = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto test_case = audit::read_case(entry.path() / "case.json");
    const auto results = reference_epsilons(test_case.matrix("unlearned_confs"),
                                            test_case.matrix("retrained_confs"));
    const auto epsilon = test_case.expected.at("epsilon").doubles();
    const auto single = test_case.expected.at("eps_single").doubles();
    const auto pair = test_case.expected.at("eps_double").doubles();
    ASSERT_EQ(results.size(), epsilon.size());
    for (std::size_t row = 0; row < results.size(); ++row, ++rows) {
      const auto near = [&](double actual, double expected) {
        return same(actual, expected) ||
               std::abs(actual - expected) <=
                   test_case.absolute + test_case.relative * std::abs(expected);
      };
      EXPECT_TRUE(near(results[row].epsilon, epsilon[row])) << test_case.name << " row " << row;
      EXPECT_TRUE(near(results[row].single, single[row])) << test_case.name << " row " << row;
      EXPECT_TRUE(near(results[row].double_threshold, pair[row])) << test_case.name << " " << row;
    }
  }
  EXPECT_EQ(rows, 25U);  // 1 + 1 + 6 + 2 + 3 + 4 + 4 + 4 rows in eight cases
}

// The grids are a subset of all cuts, up to the float32 arithmetic.
TEST(EpsilonReference, NeverFindsMoreThanTheExactSweep) {
  for (std::uint64_t index = 0; index < 30; ++index) {
    Stream stream(2, "epsilon_reference_test", index);
    Sample unlearned(24);
    Sample retrained(24);
    for (double& value : unlearned) value = stream.normal();
    for (double& value : retrained) value = 0.7 * stream.normal() + 0.6;
    EXPECT_LE(reference_epsilon(unlearned, retrained).epsilon,
              epsilon(unlearned, retrained).epsilon + 2e-6);
  }
}

TEST(EpsilonReference, RatioOfRangesDecidesAlone) {
  const Sample narrow = {1, 1.001, 1.002};
  const Sample wide = {0, 1.001, 3};
  const Epsilon result = reference_epsilon(narrow, wide);
  EXPECT_EQ(result.epsilon, 50);
  EXPECT_TRUE(result.separated);
  EXPECT_EQ(result.double_threshold, 50);
  // Where no threshold is discarded, FPR = 1/3 beside FNR = 1: ln(2/3) is below 0.
  EXPECT_EQ(result.single, 0);
}

TEST(EpsilonReference, EqualConstantsAreUndefined) {
  const Epsilon result = reference_epsilon(Sample{2, 2, 2}, Sample{2, 2, 2});
  EXPECT_TRUE(std::isnan(result.epsilon));
  EXPECT_FALSE(result.separated);
}

// Both functions promise their end points exactly.
TEST(EpsilonReference, LinspacesMeetBothEnds) {
  EXPECT_TRUE(torch_linspace(0, 1, 0).empty());
  EXPECT_EQ(torch_linspace(0.25, 1, 1), std::vector<float>{0.25F});
  const std::vector<float> points = torch_linspace(-3.3, 4.7, 801);
  EXPECT_EQ(points.front(), -3.3F);
  EXPECT_EQ(points.back(), 4.7F);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  std::vector<double> doubles(401);
  numpy_linspace(-0.1, 3.9, doubles);
  EXPECT_EQ(doubles.front(), -0.1);
  EXPECT_EQ(doubles.back(), 3.9);
}

TEST(EpsilonReference, SameBytesForAnyNumberOfThreads) {
  Stream stream(3, "epsilon_reference_test");
  Matrix unlearned(9, 20);
  Matrix retrained(11, 20);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal() + 0.5;
  const auto one =
      Context({.threads = 1}).run([&] { return reference_epsilons(unlearned, retrained); });
  const auto four =
      Context({.threads = 4}).run([&] { return reference_epsilons(unlearned, retrained); });
  for (std::size_t row = 0; row < 20; ++row) EXPECT_TRUE(same(one[row].epsilon, four[row].epsilon));
}

TEST(EpsilonReference, RefusesBadInput) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(reference_epsilon(Sample{}, Sample{1}), InputError);
  EXPECT_THROW(reference_epsilon(Sample{infinity}, Sample{1}), InputError);
  EXPECT_THROW(reference_epsilon(Sample{0, 1e9}, Sample{1, 1e9}), InputError);
  EXPECT_THROW(reference_epsilon(Sample{0, 1}, Sample{1, 2}, {}, {.buffer = 0}), InputError);
  EXPECT_THROW(reference_epsilons(Matrix(2, 3), Matrix(2, 4)), InputError);
}

// One side without spread: the public scorer calls the double threshold 50 without looking at its
// grid, while the single one is swept as ever. By hand: medians are equal, so unlearned is
// positive; up to 1.5 the false positive rate is 1 (at best ln(1 - delta - FNR) <= 0), above it is
// 0 beside a false negative rate that is not (discarded): the single threshold has 0.
TEST(EpsilonReference, ConstantSideIsFiftyByTheDoubleThreshold) {
  const std::vector<double> unlearned = {0, 1, 2, 3}, retrained(4, 1.5);
  const Epsilon found = reference_epsilon(unlearned, retrained);
  EXPECT_EQ(found.single, 0);
  EXPECT_EQ(found.double_threshold, 50);
  EXPECT_EQ(found.epsilon, 50);
  EXPECT_TRUE(found.separated);
}

}  // namespace
}  // namespace vestige::metrics
