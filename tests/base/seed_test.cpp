// The generator against its published answers, and the properties that draws must have.
#include "vestige/base/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

#include "vestige/base/parallel.h"

namespace vestige {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Random123's kat_vectors, "philox4x32 10".
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<std::uint64_t> draws(Stream stream, std::size_t count) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = stream();
  return values;
}

/// A stream by its definition, block by block: the key from SplitMix64's finaliser and FNV-1a.
std::vector<std::uint64_t> plain_draws(std::uint64_t seed, std::string_view purpose,
                                       std::uint64_t index, std::size_t count) {
  const auto finalised = [](std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  };
  std::uint64_t name = 0xcbf29ce484222325ULL;
  for (const char letter : purpose) {
    name = (name ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  const std::uint64_t key = finalised(seed + 0x9e3779b97f4a7c15ULL) ^ finalised(name);
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  std::vector<std::uint64_t> values;
  for (std::uint64_t block = 0; values.size() < count; ++block) {
    const Block made = philox4x32({low(block), low(block >> 32), low(index), low(index >> 32)},
                                  {low(key), low(key >> 32)});
    values.push_back((std::uint64_t{made[1]} << 32) | made[0]);
    values.push_back((std::uint64_t{made[3]} << 32) | made[2]);
  }
  values.resize(count);
  return values;
}

// Several blocks are made at once; the numbers are those of single blocks.
TEST(Stream, NumbersAreTheBlocksInOrder) {
  EXPECT_EQ(draws(Stream(7, "bootstrap", 3), 1001), plain_draws(7, "bootstrap", 3, 1001));
  const std::uint64_t last = ~std::uint64_t{0};
  EXPECT_EQ(draws(Stream(last, "", last), 51), plain_draws(last, "", last, 51));
}

TEST(Stream, TheSameNameGivesTheSameNumbers) {
  EXPECT_EQ(draws(Stream(7, "bootstrap", 3), 100), draws(Stream(7, "bootstrap", 3), 100));
}

TEST(Stream, SeedPurposeAndIndexEachChangeEveryNumber) {
  const std::vector<std::vector<std::uint64_t>> streams{
      draws(Stream(7, "bootstrap", 3), 1000), draws(Stream(8, "bootstrap", 3), 1000),
      draws(Stream(7, "permute", 3), 1000),   draws(Stream(7, "bootstrap", 4), 1000),
      draws(Stream(7, "", 3), 1000),          draws(Stream(7, "bootstrap", 1ULL << 32), 1000)};
  // No number of 6000 may appear twice: with 64 bits the chance of any repeat is 1e-12.
  std::set<std::uint64_t> seen;
  for (const auto& values : streams) seen.insert(values.begin(), values.end());
  EXPECT_EQ(seen.size(), 6000U);
}

TEST(Stream, NeighbouringStreamsAreNotCorrelated) {
  // The correlation of n independent uniform pairs has a standard deviation of 1/sqrt(n) = 0.01.
  constexpr std::size_t kCount = 10000;
  Stream left(1, "x", 0), right(1, "x", 1);
  double sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) sum += (left.uniform() - 0.5) * (right.uniform() - 0.5);
  EXPECT_LT(std::abs(12.0 * sum / static_cast<double>(kCount)), 0.05);
}

TEST(Stream, NumbersDoNotDependOnThreads) {
  const auto draw_all = [](int count) {
    std::vector<double> values(1000);
    Arena(count).run([&values] {
      parallel_for(values.size(), [&values](std::size_t index) {
        Stream stream(42, "threads", index);
        values[index] = stream.normal() + stream.uniform();
      });
    });
    return values;
  };
  EXPECT_EQ(draw_all(1), draw_all(4));
}

TEST(Stream, UniformStaysInTheHalfOpenUnitInterval) {
  Stream stream(1, "uniform");
  double sum = 0, smallest = 1, largest = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double value = stream.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  // Standard error of the mean: 1 / sqrt(12 * 200000) = 0.00065.
  EXPECT_NEAR(sum / kCount, 0.5, 0.0033);
  EXPECT_LT(smallest, 1e-4);
  EXPECT_GT(largest, 1.0 - 1e-4);
}

TEST(Stream, BelowReachesAllValuesEquallyAndNoOther) {
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 7ULL, 100ULL}) {
    Stream stream(3, "below", bound);
    std::vector<int> counts(bound, 0);
    constexpr int kCount = 70000;
    for (int i = 0; i < kCount; ++i) {
      const std::uint64_t value = stream.below(bound);
      ASSERT_LT(value, bound);
      ++counts[value];
    }
    double chi_squared = 0;
    const double expected = static_cast<double>(kCount) / static_cast<double>(bound);
    for (const int count : counts)
      chi_squared += (count - expected) * (count - expected) / expected;
    // Mean bound - 1, standard deviation sqrt(2 (bound - 1)): five of them above.
    const double degrees = static_cast<double>(bound - 1);
    EXPECT_LE(chi_squared, degrees + 5.0 * std::sqrt(2.0 * degrees)) << bound;
  }
}

TEST(Stream, BelowIsUnbiasedForHugeBounds) {
  // With bound = 3 * 2^62, taking the remainder of 64 bits would hit the lowest quarter of the
  // range twice as often as it should: 2/4 of the draws below 2^62 instead of 1/3.
  constexpr std::uint64_t kBound = 3ULL << 62;
  Stream stream(5, "below");
  int low = 0;
  constexpr int kCount = 90000;
  for (int i = 0; i < kCount; ++i) {
    const std::uint64_t value = stream.below(kBound);
    ASSERT_LT(value, kBound);
    low += value < (1ULL << 62) ? 1 : 0;
  }
  // Standard error: sqrt(2/9 / 90000) = 0.0016.
  EXPECT_NEAR(static_cast<double>(low) / kCount, 1.0 / 3.0, 0.008);
}

TEST(Stream, NormalHasTheMomentsOfTheStandardNormal) {
  Stream stream(9, "normal");
  constexpr int kCount = 200000;
  double first = 0, second = 0, fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double value = stream.normal();
    ASSERT_TRUE(std::isfinite(value));
    first += value;
    second += value * value;
    fourth += value * value * value * value;
  }
  // Standard errors for n = 200000: 0.0022, sqrt(2/n) = 0.0032, sqrt(96/n) = 0.022.
  EXPECT_NEAR(first / kCount, 0.0, 0.011);
  EXPECT_NEAR(second / kCount, 1.0, 0.016);
  EXPECT_NEAR(fourth / kCount, 3.0, 0.11);
}

TEST(Stream, ShuffleIsAPermutationAndAllOrdersAreEquallyLikely) {
  Stream stream(11, "shuffle");
  std::map<std::vector<int>, int> counts;
  constexpr int kCount = 24000;
  for (int i = 0; i < kCount; ++i) {
    std::vector<int> values{0, 1, 2, 3};
    stream.shuffle(std::span<int>(values));
    ++counts[values];
  }
  EXPECT_EQ(counts.size(), 24U);
  for (const auto& [order, count] : counts) {
    EXPECT_TRUE(
        std::is_permutation(order.begin(), order.end(), std::vector<int>{0, 1, 2, 3}.begin()));
    // Expected 1000 each, standard deviation 31.
    EXPECT_NEAR(count, 1000, 155);
  }
}

TEST(Stream, PermutationAndSampleHoldEachIndexOnce) {
  Stream stream(13, "permutation");
  std::vector<std::size_t> order = stream.permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
  EXPECT_TRUE(stream.permutation(0).empty());

  const std::vector<std::size_t> chosen = stream.sample(100, 30);
  EXPECT_EQ(chosen.size(), 30U);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(std::adjacent_find(chosen.begin(), chosen.end()), chosen.end());
  EXPECT_LT(chosen.back(), 100U);
  EXPECT_EQ(stream.sample(5, 5), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(stream.sample(5, 0).empty());
}

}  // namespace
}  // namespace vestige
