// The sorted count against all pairs, to the last bit, and signals by hand.
#include "vestige/metrics/scores/rmia.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/metrics/scores/rmia_oracle.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

TEST(Rmia, SortedCountIsThatOfAllPairs) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double gamma : {0.5, 1.0, 2.0}) {
    for (const PairRule rule : {PairRule::quotient, PairRule::reciprocal}) {
      for (std::uint64_t round = 0; round < 10; ++round) {
        Stream stream(round, "test.rmia");
        std::vector<double> x(200), z(150);
        // Thirds make ratios that equal gamma up to a rounding; signs are mixed.
        for (double& value : x) value = (static_cast<double>(stream.below(40)) - 20) / 3;
        for (double& value : z) value = (static_cast<double>(stream.below(40)) - 20) / 3;
        for (const double odd : {0.0, -0.0, infinity, -infinity, kUndefined, 5e-324}) {
          x.push_back(odd);
          z.push_back(odd);
        }
        EXPECT_EQ(rmia_scores(x, z, gamma, rule), plain_rmia(x, z, gamma, rule));
        for (double& value : x) value = stream.normal();
        for (double& value : z) value = stream.normal();
        EXPECT_EQ(rmia_scores(x, z, gamma, rule), plain_rmia(x, z, gamma, rule));
      }
    }
  }
}

TEST(Rmia, SameBytesForAnyThreads) {
  Stream stream(4, "test.rmia.threads");
  std::vector<double> x(5000), z(777);
  for (double& value : x) value = stream.uniform();
  for (double& value : z) value = stream.uniform();
  const auto scores = [&] { return rmia_scores(x, z, 1.5); };
  EXPECT_EQ(Context({.threads = 1}).run(scores), Context({.threads = 2}).run(scores));
}

TEST(Rmia, TaylorSignalByHand) {
  // Logits 2, 0 at T = 1, m = 0: T3(2) = 1 + 2 + 2 + 8/6 = 19/3, T3(0) = 1: 19/22.
  Matrix logits(1, 2);
  logits(0, 0) = 2;
  const std::vector<std::int64_t> labels = {0};
  EXPECT_NEAR(rmia_signals(logits, labels, {RmiaSignal::taylor, 1, 0})[0], 19.0 / 22, 1e-15);
  // Logits -12, 0 at T = 2, m = 0.6: T3(-6.6) = 1 - 6.6 + 21.78 - 47.916 = -31.736 is negative.
  logits(0, 0) = -12;
  EXPECT_NEAR(rmia_signals(logits, labels)[0], -31.736 / (1 - 31.736), 1e-13);
  EXPECT_NEAR(rmia_signals(logits, labels, {RmiaSignal::softmax, 2, 0})[0], 1 / (1 + std::exp(6.0)),
              1e-16);
}

TEST(Rmia, TrimmedMeanByHand) {
  EXPECT_DOUBLE_EQ(trimmed_mean({5, 1, 100, 3, 4}, 0.2), 4);   // 1 and 100 are cut
  EXPECT_DOUBLE_EQ(trimmed_mean({5, 1, 100, 3}, 0.2), 27.25);  // int(0.8) = 0: nothing is cut
  EXPECT_TRUE(std::isnan(trimmed_mean({}, 0.2)));
}

TEST(Rmia, OfflineReferenceByHand) {
  const std::vector<double> mean = {0.5};
  EXPECT_DOUBLE_EQ(offline_reference(mean, 0.3)[0], 0.65 * 0.5 + 0.35);
}

TEST(Rmia, BadInputIsNamed) {
  const std::vector<double> one = {1}, none;
  EXPECT_TRUE(std::isnan(rmia_scores(one, none, 1)[0]));
  EXPECT_THROW(rmia_scores(one, one, 0), InputError);
  EXPECT_THROW(mean_signals(Matrix(0, 3), 0), InputError);
  EXPECT_THROW(offline_reference(one, 2), InputError);
  EXPECT_THROW(likelihood_ratios(one, none), InputError);
  const std::vector<std::int64_t> labels = {2};
  EXPECT_THROW(rmia_signals(Matrix(1, 2), labels), InputError);
}

}  // namespace
}  // namespace vestige::metrics
