// The witness against numpy, and what the relative test must answer where the truth is known.
#include "vestige/metrics/kernel_test/relative_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/kernel_test/relative_oracle.h"
#include "tests/metrics/support/peer_values.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

Matrix normal_sample(std::size_t rows, double shift, std::uint64_t index) {
  Stream stream(11, "relative_test_test", index);
  Matrix sample(rows, 2);
  for (double& value : sample.values()) value = stream.normal() + shift;
  return sample;
}

TEST(RelativeTest, WitnessByNumpy) {
  const PeerValues values("witness");
  const Matrix p = values.matrix("p"), q = values.matrix("q");
  const std::vector<double> ratio =
      witness_ratio(p, q, values.number("sigma"), values.number("lam"));
  const std::vector<double> wanted = values.numbers("ratio");
  ASSERT_EQ(ratio.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(ratio[i], wanted[i], 1e-10);
  const std::span<const double> all(ratio);
  const auto seen = witness_divergences(all.first(p.rows()), all.subspan(p.rows()));
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_NEAR(seen[k], values.numbers("divergences")[k], 1e-10) << name(kWitnessDivergences[k]);
  }
}

// The model is a third draw of the second distribution: nearer to it, and not to the first.
TEST(RelativeTest, SeesTheNearerSample) {
  const Matrix model = normal_sample(80, 1, 0), far = normal_sample(80, 0, 1),
               near = normal_sample(80, 1, 2);
  const RelativeTest test = relative_test(model, far, near);
  const RelativeTest other = relative_test(model, near, far);
  for (std::size_t k = 0; k < kWitnessDivergences.size(); ++k) {
    EXPECT_LE(test.nearer_second[k], 0.02) << name(kWitnessDivergences[k]);
    EXPECT_GE(test.nearer_first[k], 0.5);
    EXPECT_LE(other.nearer_first[k], 0.02);
  }
}

// All permutations at once against samples that are built anew for each. The two forms round
// differently, so that ties in the shares of the hockey-stick may fall either way: one of 60.
TEST(RelativeTest, ThePlainTwin) {
  const RelativeTestOptions options{.permutations = 59, .bandwidths = 3, .lambdas = {0.01, 0.1}};
  for (const double shift : {0.0, 0.4}) {
    const Matrix model = normal_sample(24, shift, 50), first = normal_sample(24, 0, 51),
                 second = normal_sample(24, 0.4, 52);
    const RelativeTest fast = relative_test(model, first, second, options);
    const auto plain = plain_nearer_second(model, first, second, options);
    EXPECT_DOUBLE_EQ(fast.nearer_second[0], plain[0]);
    EXPECT_NEAR(fast.nearer_second[1], plain[1], 1.01 / 60);
    EXPECT_DOUBLE_EQ(fast.nearer_second[2], plain[2]);
  }
}

// Under the null p-values are uniform or larger: of 60 tests of equal samples at 10 %, 6 are
// expected and 13 or more come up once in 200 times.
TEST(RelativeTest, HoldsItsLevel) {
  std::array<int, 3> shown{};
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    const RelativeTest test =
        relative_test(normal_sample(30, 0, 100 + 3 * draw), normal_sample(30, 0, 101 + 3 * draw),
                      normal_sample(30, 0, 102 + 3 * draw),
                      {.permutations = 99, .bandwidths = 3, .lambdas = {0.01}});
    for (std::size_t k = 0; k < shown.size(); ++k) shown[k] += test.nearer_second[k] <= 0.1;
  }
  for (const int count : shown) EXPECT_LE(count, 13);
}

TEST(RelativeTest, SameBytesForOneThreadAndUndefinedInputs) {
  const Matrix model = normal_sample(25, 1, 0), first = normal_sample(25, 0, 1),
               second = normal_sample(25, 1, 2);
  const RelativeTest many = relative_test(model, first, second);
  const RelativeTest one =
      Context({.threads = 1}).run([&] { return relative_test(model, first, second); });
  EXPECT_EQ(one.nearer_second, many.nearer_second);
  const Matrix zeros(5, 2);
  EXPECT_TRUE(std::isnan(relative_test(zeros, zeros, zeros).nearer_first[0]));
  EXPECT_TRUE(std::isnan(relative_test(Matrix(1, 2), Matrix(1, 2), Matrix(1, 2)).nearer_first[0]));
  EXPECT_THROW(relative_test(model, first, Matrix(24, 2)), InputError);
  EXPECT_THROW(relative_test(model, first, second, {.lambdas = {0}}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
