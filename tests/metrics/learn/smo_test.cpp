// The support vector machine's solver against LIBSVM, which takes the same steps and so must give
// the same bits; its loops against plain ones.
#include "vestige/metrics/learn/smo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/metrics/learn/libsvm_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/learn/smo_loops.h"

namespace vestige::metrics {
namespace {

struct SmoSample {
  Matrix rows;
  std::vector<int> labels;
};

enum class Shape { normal, share, rounded_share };

/// Label 1 is shifted; shares crowd below 1 as confidences do, rounded ones coincide often.
SmoSample smo_sample(std::size_t count, std::size_t features, Shape shape, std::uint64_t seed) {
  SmoSample sample{Matrix(count, features), std::vector<int>(count)};
  Stream stream(seed, "smo_test");
  for (std::size_t i = 0; i < count; ++i) {
    sample.labels[i] = i % 3 == 0 ? 1 : 0;
    for (double& value : sample.rows.row(i)) {
      value = stream.normal() + 0.7 * sample.labels[i];
      if (shape == Shape::normal) continue;
      value = 1 / (1 + std::exp(-2 - 2 * value));
      if (shape == Shape::rounded_share) value = std::round(64 * value) / 64;
    }
  }
  return sample;
}

// Enough rows for several rounds of shrinking, which LIBSVM tries every min(n, 1000) steps.
TEST(Smo, IsLibsvmToTheLastBit) {
  for (const Shape shape : {Shape::normal, Shape::share, Shape::rounded_share}) {
    for (const std::size_t features : {1U, 5U}) {
      for (const std::size_t count : {12U, 251U, 900U}) {
        for (const double cost : {0.3, 3.0}) {
          const SmoSample sample = smo_sample(count, features, shape, count);
          const SmoOptions options{
              .cost = cost, .gamma = 1.0 / static_cast<double>(features), .tolerance = 1e-4};
          const SmoSolution own = solve_smo(sample.rows, sample.labels, options);
          const SmoSolution libsvm = testing::solve_by_libsvm(sample.rows, sample.labels, options);
          EXPECT_EQ(own.places, libsvm.places) << count << " rows, cost " << cost;
          EXPECT_EQ(own.coefficients, libsvm.coefficients) << count << " rows, cost " << cost;
          EXPECT_EQ(own.rho, libsvm.rho) << count << " rows, cost " << cost;
        }
      }
    }
  }
}

// 900 rows of 4 bytes each: the smallest cache holds three rows, the largest all of them.
TEST(Smo, CacheChangesNothing) {
  const SmoSample sample = smo_sample(900, 1, Shape::share, 5);
  const SmoSolution few =
      solve_smo(sample.rows, sample.labels, {.cost = 3, .gamma = 1, .cache_mb = 0.001});
  const SmoSolution all =
      solve_smo(sample.rows, sample.labels, {.cost = 3, .gamma = 1, .cache_mb = 100});
  EXPECT_EQ(few.places, all.places);
  EXPECT_EQ(few.coefficients, all.coefficients);
  EXPECT_EQ(few.rho, all.rho);
}

std::vector<double> draws(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  Stream stream(seed, "smo_test.draws");
  // Rounded, so that equal values are met.
  for (double& value : values) value = std::round(8 * stream.normal()) / 8;
  return values;
}

/// 0, and -infinity for one in three.
std::vector<double> blocks(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; i += 3) values[i] = -std::numeric_limits<double>::infinity();
  return values;
}

TEST(SmoLoops, ChooseTheLastOfEqualRows) {
  for (const std::size_t count : {1U, 2U, 7U, 64U, 203U}) {
    const std::vector<double> slope = draws(count, count), open = blocks(count);
    std::vector<float> kernel(count);
    for (std::size_t i = 0; i < count; ++i) kernel[i] = i % 5 == 0 ? 1.0F : 0.25F;
    double best = -std::numeric_limits<double>::infinity(), gain = best, low = best;
    std::size_t at = 0, partner = 0;
    for (std::size_t t = 0; t < count; ++t) {
      if (open[t] != 0) continue;
      if (-slope[t] >= best) {
        best = -slope[t];
        at = t;
      }
    }
    for (std::size_t t = 0; t < count; ++t) {
      if (open[t] != 0) continue;
      low = std::max(low, slope[t]);
      const double difference = 0.5 + slope[t];
      if (difference <= 0) continue;
      const double curvature = 2 - 2 * static_cast<double>(kernel[t]);
      const double now = difference * difference / (curvature > 0 ? curvature : 1e-12);
      if (now >= gain) {
        gain = now;
        partner = t;
      }
    }
    for (const Instructions which :
         {Instructions::best, Instructions::avx2, Instructions::baseline}) {
      const SmoChoice choice = largest_violation(slope, open, which);
      EXPECT_EQ(choice.found, count > 1);
      if (choice.found) {
        EXPECT_EQ(choice.index, at);
        EXPECT_EQ(choice.value, best);
      }
      const SmoPartner found = best_partner(slope, open, kernel, 0.5, which);
      EXPECT_EQ(found.choice.found, gain > 0);
      if (found.choice.found) {
        EXPECT_EQ(found.choice.index, partner);
      }
      EXPECT_EQ(found.largest_low, low);
    }
  }
}

// A million values: about one in 16 million lies so near the middle of two floats that the error of
// the fast exponential would show, and the crowd just below 0 is where confidences lie.
TEST(SmoLoops, ExponentialsRoundAsTheLibraryDoes) {
  constexpr std::size_t kCount = 1'000'000;
  std::vector<double> values(kCount);
  Stream stream(3, "smo_test.exp");
  for (std::size_t i = 0; i < kCount; ++i) {
    values[i] = -stream.uniform() * (i % 4 == 0 ? 1e-6 : i % 4 == 1 ? 1 : i % 4 == 2 ? 60 : 900);
  }
  std::vector<float> fast(kCount), expected(kCount), avx2(kCount), baseline(kCount);
  float_exponentials(values, fast);
  float_exponentials(values, avx2, Instructions::avx2);
  float_exponentials(values, baseline, Instructions::baseline);
  for (std::size_t i = 0; i < kCount; ++i) expected[i] = static_cast<float>(std::exp(values[i]));
  EXPECT_EQ(fast, expected);
  EXPECT_EQ(avx2, expected);
  EXPECT_EQ(baseline, expected);
}

}  // namespace
}  // namespace vestige::metrics
