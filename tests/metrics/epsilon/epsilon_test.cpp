// Exact eps against the all-pairs oracle, hand calculations and properties.
#include "vestige/metrics/epsilon/epsilon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/metrics/epsilon/epsilon_oracle.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using Sample = std::vector<double>;

// NaN equals NaN, everything else bit for bit (up to the sign of zero).
bool same(double left, double right) {
  return (std::isnan(left) && std::isnan(right)) || left == right;
}

void expect_equals_oracle(const Sample& unlearned, const Sample& retrained, double delta = 1e-5) {
  const Epsilon fast = epsilon(unlearned, retrained, {.delta = delta});
  const oracle::Result plain = oracle::epsilon(unlearned, retrained, delta);
  const bool equal = same(fast.epsilon, plain.epsilon) && same(fast.single, plain.single) &&
                     same(fast.double_threshold, plain.double_threshold) &&
                     fast.positive_is_retrained == plain.positive_is_retrained;
  EXPECT_TRUE(equal) << testing::PrintToString(unlearned) << " against "
                     << testing::PrintToString(retrained) << ": " << fast.epsilon << " = max("
                     << fast.single << ", " << fast.double_threshold << "), oracle "
                     << plain.epsilon << " = max(" << plain.single << ", " << plain.double_threshold
                     << ")";
}

// Small whole numbers, so that ties abound; `levels` = 1 makes constants.
Sample tied_sample(Stream& stream, std::size_t size, std::uint64_t levels, double shift) {
  Sample sample(size);
  for (double& value : sample) value = static_cast<double>(stream.below(levels)) + shift;
  return sample;
}

TEST(Epsilon, EqualsTheAllPairsOracleOnSmallTiedSamples) {
  for (std::uint64_t index = 0; index < 30000; ++index) {
    Stream stream(1, "epsilon_test.tied", index);
    const std::size_t unlearned_count = 1 + stream.below(9);
    const std::size_t retrained_count =
        stream.below(3) == 0 ? 1 + stream.below(9) : unlearned_count;
    const Sample unlearned = tied_sample(stream, unlearned_count, 1 + stream.below(8), 0);
    const Sample retrained = tied_sample(stream, retrained_count, 1 + stream.below(8),
                                         static_cast<double>(stream.below(5)) / 2);
    expect_equals_oracle(unlearned, retrained);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Epsilon, EqualsTheAllPairsOracleOnContinuousSamples) {
  for (std::uint64_t index = 0; index < 3000; ++index) {
    Stream stream(2, "epsilon_test.normal", index);
    Sample unlearned(2 + stream.below(40));
    Sample retrained(2 + stream.below(40));
    const double width = 0.2 + 2 * stream.uniform();
    const double shift = 2 * stream.uniform();
    for (double& value : unlearned) value = stream.normal();
    for (double& value : retrained) value = width * stream.normal() + shift;
    expect_equals_oracle(unlearned, retrained);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Epsilon, EqualsTheAllPairsOracleOnLargerSamples) {
  for (std::uint64_t index = 0; index < 12; ++index) {
    Stream stream(3, "epsilon_test.large", index);
    Sample unlearned(150 + stream.below(60));
    Sample retrained(150 + stream.below(60));
    // One decimal: ties; the wider sample surrounds the other, so that the interval matters.
    for (double& value : unlearned) value = std::round(10 * stream.normal()) / 10;
    for (double& value : retrained) value = std::round(25 * stream.normal()) / 10 + 0.5;
    expect_equals_oracle(unlearned, retrained);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Epsilon, OtherDeltasAgreeWithTheOracle) {
  for (std::uint64_t index = 0; index < 3000; ++index) {
    Stream stream(4, "epsilon_test.delta", index);
    const Sample unlearned = tied_sample(stream, 2 + stream.below(8), 6, 0);
    const Sample retrained = tied_sample(stream, 2 + stream.below(8), 6, 1);
    const Epsilon fast = epsilon(unlearned, retrained, {.delta = 0.05});
    EXPECT_TRUE(same(fast.epsilon, oracle::epsilon(unlearned, retrained, 0.05).epsilon));
    // delta = 0: different counts can have the same eps, whose logarithms differ in the last bit.
    const double zero = epsilon(unlearned, retrained, {.delta = 0}).epsilon;
    const double plain = oracle::epsilon(unlearned, retrained, 0).epsilon;
    EXPECT_TRUE((std::isnan(zero) && std::isnan(plain)) || std::abs(zero - plain) < 1e-14)
        << zero << " against " << plain;
  }
}

// By hand, N = 4: cut above 2 calls {3, 5} retrained and {4} of unlearned too: FPR = 1/4 (4 is
// inside), FNR = 1/4 (0.5 is not). eps = ln((1 - 1e-5 - 1/4) / (1/4)) = ln(2.99996).
TEST(Epsilon, HandCalculation) {
  const Epsilon result = epsilon(Sample{0, 1, 2, 4}, Sample{0.5, 3, 5, 6});
  EXPECT_DOUBLE_EQ(result.single, std::log(2.99996));
  EXPECT_TRUE(result.positive_is_retrained);
  EXPECT_FALSE(result.separated);
}

// By hand: one peaked sample inside a wide one. The interval [0, 1] holds 3 of the 4 peaky models
// and 1 of the 4 wide ones: FPR = FNR = 1/4; no single cut reaches it.
TEST(Epsilon, AnIntervalFindsWhatNoSingleCutCan) {
  const Epsilon result = epsilon(Sample{0, 0.5, 1, 3}, Sample{-5, -4, 0.7, 5});
  EXPECT_DOUBLE_EQ(result.double_threshold, std::log(2.99996));
  EXPECT_LT(result.single, result.double_threshold);
}

TEST(Epsilon, SeparatedSamplesReachTheCap) {
  EXPECT_EQ(epsilon(Sample{1, 2}, Sample{3, 4}).epsilon, 50);
  EXPECT_TRUE(epsilon(Sample{1, 2}, Sample{3, 4}).separated);
  EXPECT_EQ(epsilon(Sample{1}, Sample{2}).epsilon, 50);
  EXPECT_EQ(epsilon(Sample{1, 2}, Sample{3, 4}, {.cap = 8}).epsilon, 8);
  // Only the interval separates these.
  const Epsilon between = epsilon(Sample{1, 2}, Sample{0, 3});
  EXPECT_EQ(between.double_threshold, 50);
  EXPECT_TRUE(between.single < 50);
}

TEST(Epsilon, EqualSamplesScoreZero) {
  // Constants: every attack is discarded, and yet nothing can be told apart.
  const Epsilon constant = epsilon(Sample{2, 2}, Sample{2, 2});
  EXPECT_EQ(constant.epsilon, 0);
  EXPECT_TRUE(std::isnan(constant.single));
  EXPECT_TRUE(std::isnan(constant.double_threshold));
  EXPECT_EQ(epsilon(Sample{3, 1, 2}, Sample{1, 2, 3}).epsilon, 0);
}

TEST(Epsilon, UndefinedWhereEveryAttackIsDiscarded) {
  EXPECT_TRUE(std::isnan(epsilon(Sample{2, 2, 2}, Sample{2, 2}).epsilon));
  EXPECT_TRUE(std::isnan(epsilon(Sample{2}, Sample{2, 2}).epsilon));
  // By hand: here one attack survives, the interval {2}: FNR = 1, FPR = 1/2, eps = max(0, < 0).
  EXPECT_EQ(epsilon(Sample{1, 1}, Sample{1, 2}).epsilon, 0);
  EXPECT_TRUE(std::isnan(epsilon(Sample{1, 1}, Sample{1, 2}).single));
}

TEST(Epsilon, InfiniteConfidencesAreOrdinaryValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(epsilon(Sample{infinity, infinity}, Sample{1, 2}).epsilon, 50);
  EXPECT_EQ(epsilon(Sample{infinity, infinity}, Sample{infinity, infinity}).epsilon, 0);
  const Epsilon mixed = epsilon(Sample{infinity, 1, 2, 0}, Sample{-infinity, 0.5, -1, 1.5});
  EXPECT_GE(mixed.epsilon, 0);
}

TEST(Epsilon, LargestFiniteValueIsReachedAndNeverExceeded) {
  // ln((1 - 1e-5) N - 1), N = 4.
  EXPECT_DOUBLE_EQ(largest_finite_epsilon(4, 4), std::log((1 - 1e-5 - 0.25) / 0.25));
  EXPECT_DOUBLE_EQ(epsilon(Sample{0, 1, 2, 4}, Sample{3, 5, 6, 7}).epsilon,
                   largest_finite_epsilon(4, 4));
  EXPECT_EQ(largest_finite_epsilon(2, 2), 0);
  EXPECT_TRUE(std::isnan(largest_finite_epsilon(1, 1)));
  for (std::uint64_t index = 0; index < 500; ++index) {
    Stream stream(5, "epsilon_test.bound", index);
    const Sample unlearned = tied_sample(stream, 2 + stream.below(20), 12, 0);
    const Sample retrained = tied_sample(stream, 2 + stream.below(20), 12, 3);
    const Epsilon result = epsilon(unlearned, retrained);
    if (std::isnan(result.epsilon) || result.separated) continue;
    EXPECT_LE(result.epsilon, largest_finite_epsilon(unlearned.size(), retrained.size()));
    EXPECT_GE(result.epsilon, 0);
  }
}

TEST(Epsilon, InvariantUnderOrderOfModelsAndMonotoneMaps) {
  for (std::uint64_t index = 0; index < 300; ++index) {
    Stream stream(6, "epsilon_test.invariance", index);
    Sample unlearned(21);
    Sample retrained(21);
    for (double& value : unlearned) value = stream.normal();
    for (double& value : retrained) value = stream.normal() * 0.8 + 0.5;
    const Epsilon before = epsilon(unlearned, retrained);
    // A monotone map keeps the order, and with an odd count the medians stay sample values; ranges
    // are not kept, so that only the single family is invariant.
    Sample mapped_unlearned(unlearned);
    Sample mapped_retrained(retrained);
    for (double& value : mapped_unlearned) value = std::exp(value);
    for (double& value : mapped_retrained) value = std::exp(value);
    EXPECT_EQ(epsilon(mapped_unlearned, mapped_retrained).single, before.single);
    // Doubling is exact, so ranges keep their order and both families are invariant.
    for (std::size_t i = 0; i < 21; ++i) mapped_unlearned[i] = 2 * unlearned[i];
    for (std::size_t i = 0; i < 21; ++i) mapped_retrained[i] = 2 * retrained[i];
    EXPECT_EQ(epsilon(mapped_unlearned, mapped_retrained).epsilon, before.epsilon);
    stream.shuffle(std::span<double>(unlearned));
    stream.shuffle(std::span<double>(retrained));
    EXPECT_EQ(epsilon(unlearned, retrained).epsilon, before.epsilon);
    // With unequal medians and ranges nothing depends on which sample is called unlearned.
    EXPECT_EQ(epsilon(retrained, unlearned).epsilon, before.epsilon);
  }
}

std::vector<double> values_of(const std::vector<Epsilon>& results) {
  std::vector<double> values;
  for (const Epsilon& result : results) values.push_back(result.epsilon);
  return values;
}

TEST(Epsilon, BatchEqualsRowsForAnyNumberOfThreads) {
  Stream stream(7, "epsilon_test.batch");
  Matrix unlearned(13, 101);
  Matrix retrained(17, 101);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal() + 0.5;
  const std::vector<double> one =
      Context({.threads = 1}).run([&] { return values_of(epsilons(unlearned, retrained)); });
  const std::vector<double> four =
      Context({.threads = 4}).run([&] { return values_of(epsilons(unlearned, retrained)); });
  EXPECT_EQ(one, four);
  for (std::size_t row = 0; row < 101; ++row) {
    Sample left(13);
    Sample right(17);
    for (std::size_t model = 0; model < 13; ++model) left[model] = unlearned(model, row);
    for (std::size_t model = 0; model < 17; ++model) right[model] = retrained(model, row);
    EXPECT_EQ(one[row], epsilon(left, right).epsilon);
  }
}

TEST(Epsilon, RefusesBadInput) {
  EXPECT_THROW(epsilon(Sample{}, Sample{1}), InputError);
  EXPECT_THROW(epsilon(Sample{1}, Sample{std::nan("")}), InputError);
  EXPECT_THROW(epsilon(Sample{1}, Sample{1}, {.delta = 1}), InputError);
  EXPECT_THROW(epsilon(Sample{1}, Sample{1}, {.cap = 0}), InputError);
  EXPECT_THROW(epsilons(Matrix(2, 3), Matrix(2, 4)), InputError);
  EXPECT_THROW(epsilons(Matrix(0, 3), Matrix(2, 3)), InputError);
}

}  // namespace
}  // namespace vestige::metrics
