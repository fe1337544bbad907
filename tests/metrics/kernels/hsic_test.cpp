// HSIC against the reference cases, the literal algorithm, exact enumeration and many shuffles.
#include "vestige/metrics/kernels/hsic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/metrics/kernels/joint_traces.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/sde.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t index) {
  Stream stream(5, "test.hsic", index);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = stream.normal();
  return matrix;
}

Permutations shuffles(std::size_t size, std::size_t count) {
  Stream stream(6, "test.hsic.shuffle");
  return random_permutations(size, count, stream);
}

Permutations all_permutations(std::size_t size) {
  Permutations result{size, {}};
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  do {
    result.values.insert(result.values.end(), order.begin(), order.end());
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

// Tr(KHLH) / (n - 1)^2 by four matrix products, as the paper writes it.
double literal_hsic(const Matrix& k, const Matrix& l) {
  const std::size_t n = k.rows();
  Matrix h(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      h(i, j) = (i == j ? 1.0 : 0.0) - 1.0 / static_cast<double>(n);
  }
  const auto times = [n](const Matrix& a, const Matrix& b) {
    Matrix product(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t m = 0; m < n; ++m) {
        for (std::size_t j = 0; j < n; ++j) product(i, j) += a(i, m) * b(m, j);
      }
    }
    return product;
  };
  const Matrix product = times(times(times(k, h), l), h);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += product(i, i);
  return trace / static_cast<double>((n - 1) * (n - 1));
}

TEST(Hsic, ReferenceCases) {
  for (const char* name : {"constant", "dependent_n60_d4", "duplicates", "large_sigma",
                           "n200_d64_f32vals", "small_sigma", "tiny_n4"}) {
    const AttackCase test_case("hsic_sde", name);
    const std::vector<double> values = test_case.input("activations");
    const std::size_t cols = test_case.columns("activations");
    const MatrixView activations{values.data(), values.size() / cols, cols};
    std::vector<std::uint32_t> rows(activations.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    const HalvedSet set = halve(rows);
    const double sigma = test_case.parameter("sigma");
    const Matrix k = rbf_kernel(activations, sigma, set.first);
    const Matrix l = rbf_kernel(activations, sigma, set.second);
    Permutations permutations{set.first.size(), {}};
    for (const double index : test_case.input("perm")) {
      permutations.values.push_back(static_cast<std::uint32_t>(index));
    }
    test_case.check("hsic_unshuffled", {hsic(k, l)});
    test_case.check("hsic_perm", hsic_shuffled(k, l, permutations));
    test_case.check("median_pairwise_distance", {median_distance(activations)});
  }
}

TEST(Hsic, ShufflingAKernelIsShufflingTheRows) {
  // Algorithm 1 literally: the rows are shuffled and everything is computed again.
  const Matrix activations = random_matrix(60, 4, 1);
  const std::vector<std::uint32_t> rows = [] {
    std::vector<std::uint32_t> order(60);
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }();
  const HalvedSet set = halve(rows);
  const Matrix k = rbf_kernel(activations, 2, set.first);
  const Matrix l = rbf_kernel(activations, 2, set.second);
  const Permutations permutations = shuffles(30, 5);
  const std::vector<double> values = hsic_shuffled(k, l, permutations);
  for (std::size_t t = 0; t < 5; ++t) {
    std::vector<std::uint32_t> reordered;
    for (const std::uint32_t index : permutations.at(t)) reordered.push_back(set.second[index]);
    EXPECT_NEAR(values[t], literal_hsic(k, rbf_kernel(activations, 2, reordered)), 1e-14);
  }
}

TEST(PermutedTraces, VectorAndPortablePathsGiveTheSameBytes) {
  for (const std::size_t n : {3U, 8U, 63U, 64U, 65U, 130U, 257U}) {
    const Matrix k = rbf_kernel(random_matrix(n, 6, 2), 2);
    const Matrix l = rbf_kernel(random_matrix(n, 6, 3), 2);
    const Permutations permutations = shuffles(n, 7);
    EXPECT_EQ(permuted_traces(k, centring(k), l, centring(l), permutations, Vectors::none),
              permuted_traces(k, centring(k), l, centring(l), permutations, Vectors::avx2));
  }
}

TEST(PermutedTraces, AgreeWithThePlainTwin) {
  // From a kernel near the identity (sigma 0.3) to one near all ones (sigma 1e6, entries differ by
  // 1e-11). A float product is off by about 1e-7 of itself, at random: over n^2 entries that is
  // some 1e-7 of the spread over shuffles, sqrt(2) |A| |B| / n, and sums of 16 may add a few times
  // that. Where all entries are alike (-1/n in the identity, together 1/n of the trace) errors do
  // not cancel: two entries, their product and two additions of 6e-8 each, 3e-7 / n of the value.
  for (const double sigma : {0.3, 3.0, 30.0, 1e6}) {
    for (const std::size_t n : {129U, 200U, 333U}) {
      const Matrix k = rbf_kernel(random_matrix(n, 10, 4), sigma);
      const Matrix l = rbf_kernel(random_matrix(n, 10, 5), sigma);
      const Permutations permutations = shuffles(n, 20);
      const auto plain = permuted_traces_plain(k, l, permutations);
      const auto fast = permuted_traces(k, centring(k), l, centring(l), permutations);
      const PermutationMoments moments =
          permutation_moments(kernel_sums(k, centring(k)), kernel_sums(l, centring(l)));
      const double scale = static_cast<double>((n - 1) * (n - 1));
      const double allowed = scale * (1e-6 * std::sqrt(moments.variance) +
                                      3e-7 / static_cast<double>(n) * moments.mean);
      for (std::size_t t = 0; t < plain.size(); ++t) {
        EXPECT_NEAR(fast[t], plain[t], allowed) << sigma << " " << n;
      }
    }
  }
}

// Each pair's own bandwidth, and one pair of zeros among them; 1 and 2 pairs are taken one by one,
// 9 are 8 and 1.
TEST(JointTraces, TheBytesAreThoseOfEachPairAlone) {
  for (const std::size_t n : {4U, 129U, 200U, 211U}) {
    const Permutations permutations = shuffles(n, 20);
    for (const std::size_t count : {1U, 2U, 3U, 8U, 9U, 12U}) {
      std::vector<CentredPair> pairs(count);
      for (std::size_t index = 0; index < count; ++index) {
        const double sigma = index == 2 ? 1e300 : 1 + static_cast<double>(index);
        const Matrix k = rbf_kernel(random_matrix(n, 6, 10 + index), sigma);
        const Matrix l = rbf_kernel(random_matrix(n, 6, 30 + index), sigma);
        centre(k, centring(k), pairs[index].a);
        centre(l, centring(l), pairs[index].b);
      }
      const auto together = joint_permuted_traces(pairs, permutations);
      ASSERT_EQ(together.size(), count);
      EXPECT_EQ(together, joint_permuted_traces(pairs, permutations, Vectors::none));
      for (std::size_t index = 0; index < count; ++index) {
        EXPECT_EQ(together[index],
                  permuted_traces(pairs[index].a, pairs[index].b, permutations, Vectors::none));
        EXPECT_EQ(together[index] == std::vector<double>(20, 0.0), index == 2);
      }
    }
  }
}

TEST(PermutedTraces, ConstantKernelIsZero) {
  Matrix ones(140, 140);
  std::fill(ones.values().begin(), ones.values().end(), 1.0);
  const auto values = hsic_shuffled(ones, ones, shuffles(140, 3));
  EXPECT_EQ(values, std::vector<double>(3, 0.0));
  EXPECT_EQ(hsic(ones, ones), 0);
  const KernelSums sums = kernel_sums(ones, centring(ones));
  EXPECT_EQ(permutation_moments(sums, sums).mean, 0);
  EXPECT_EQ(permutation_moments(sums, sums).variance, 0);
  EXPECT_EQ(sums.off_diagonal, 1);
}

TEST(Moments, MatchEnumerationOfAllPermutations) {
  for (const std::size_t n : {4U, 5U, 6U, 7U}) {
    const Matrix k = rbf_kernel(random_matrix(n, 2, n), 1.2);
    const Matrix l = rbf_kernel(random_matrix(n, 2, n + 10), 0.7);
    const std::vector<double> values = hsic_shuffled(k, l, all_permutations(n));
    const PermutationMoments exact =
        permutation_moments(kernel_sums(k, centring(k)), kernel_sums(l, centring(l)));
    const auto count = static_cast<double>(values.size());
    EXPECT_NEAR(exact.mean, mean(values), 1e-14);
    // Over the whole population the variance is divided by n!, not by n! - 1.
    EXPECT_NEAR(exact.variance, variance(values) * (count - 1) / count, 1e-14);
  }
}

TEST(Moments, MatchAHundredThousandShuffles) {
  constexpr std::size_t kShuffles = 100000;
  const Matrix k = rbf_kernel(random_matrix(40, 8, 20), 2.8);
  const Matrix l = rbf_kernel(random_matrix(40, 8, 21), 2.8);
  const std::vector<double> values = hsic_shuffled(k, l, shuffles(40, kShuffles));
  const PermutationMoments exact =
      permutation_moments(kernel_sums(k, centring(k)), kernel_sums(l, centring(l)));
  // The mean of N shuffles varies by sd / sqrt(N), their variance by about sqrt(2 / N) of itself
  // (more with heavy tails); four times that must hold.
  EXPECT_NEAR(mean(values), exact.mean, 4 * std::sqrt(exact.variance / kShuffles));
  EXPECT_NEAR(variance(values) / exact.variance, 1, 4 * std::sqrt(3.0 / kShuffles));
}

TEST(Moments, FewRows) {
  const Matrix k = rbf_kernel(random_matrix(3, 2, 30), 1);
  const Matrix l = rbf_kernel(random_matrix(3, 2, 31), 1);
  const PermutationMoments moments =
      permutation_moments(kernel_sums(k, centring(k)), kernel_sums(l, centring(l)));
  EXPECT_NEAR(moments.mean, mean(hsic_shuffled(k, l, all_permutations(3))), 1e-15);
  EXPECT_TRUE(std::isnan(moments.variance));
}

TEST(Hsic, RefusesWhatHasNoHsic) {
  const Matrix k(3, 3);
  const Matrix l(4, 4);
  const Matrix one(1, 1);
  EXPECT_THROW(hsic(k, l), InputError);
  EXPECT_THROW(hsic(one, one), InputError);
  EXPECT_THROW(hsic_shuffled(k, k, shuffles(4, 1)), InputError);
}

TEST(Permutations, AreUniform) {
  // 6 orders of 3 items, 60,000 draws: chi-square with 5 degrees of freedom, 99.9 % point 20.5.
  const Permutations permutations = shuffles(3, 60000);
  std::vector<double> counts(6);
  for (std::size_t t = 0; t < permutations.count(); ++t) {
    const auto order = permutations.at(t);
    counts[order[0] * 2 + (order[1] > order[2] ? 1 : 0)] += 1;
  }
  double statistic = 0;
  for (const double count : counts) statistic += (count - 10000) * (count - 10000) / 10000;
  EXPECT_LT(statistic, 20.5);
}

}  // namespace
}  // namespace vestige::metrics
