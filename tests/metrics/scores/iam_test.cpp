// IAM against its definition, and its vector arithmetic against the standard library.
#include "vestige/metrics/scores/iam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/metrics/scores/iam_oracle.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

struct Problem {
  std::vector<double> target, in;
  Matrix shadows;
};

Problem random_problem(std::size_t rows, std::size_t shadows, std::uint64_t seed) {
  Stream stream(seed, "test.iam");
  Problem problem;
  problem.shadows = Matrix(shadows, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double center = 2 * stream.normal();
    for (std::size_t j = 0; j < shadows; ++j) problem.shadows(j, i) = center + stream.normal();
    problem.in.push_back(center + 2 + stream.normal());
    problem.target.push_back(center + 2 * stream.uniform() + stream.normal());
  }
  return problem;
}

TEST(Iam, MomentsGiveWhatEveryLevelOfEveryShadowGives) {
  for (const std::size_t shadows : {std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
    for (const IamVariance variance : {IamVariance::global, IamVariance::per_row}) {
      if (shadows == 1 && variance == IamVariance::per_row) continue;
      for (const auto distribution : {LevelDistribution::gumbel, LevelDistribution::normal}) {
        for (const std::size_t levels : {std::size_t{2}, std::size_t{3}, std::size_t{100}}) {
          const Problem p = random_problem(301, shadows, shadows);
          const IamOptions options{levels, variance, distribution};
          const auto fast = iam_scores(p.target, shadow_moments(p.shadows), p.in, options);
          const auto plain = plain_iam(p.target, p.shadows, p.in, options);
          ASSERT_EQ(fast.size(), plain.size());
          for (std::size_t i = 0; i < fast.size(); ++i) EXPECT_NEAR(fast[i], plain[i], 1e-13);
        }
      }
    }
  }
}

TEST(Iam, SameBytesForAnyThreadsAndInstructions) {
  const Problem p = random_problem(5000, 3, 7);
  const auto one = Context({.threads = 1}).run([&] {
    return iam_scores(p.target, shadow_moments(p.shadows), p.in);
  });
  const auto two = Context({.threads = 2}).run([&] {
    return iam_scores(p.target, shadow_moments(p.shadows), p.in);
  });
  EXPECT_EQ(one, two);

  const std::vector<double> inverse(p.target.size(), 0.7);
  const std::vector<GumbelLevel> levels = {{1, 0, 0.9, 1}, {0.4, 0.6, 1.3, 2}};
  const ShadowMoments moments = shadow_moments(p.shadows);
  const GumbelRows rows{p.target, moments.mean, p.in, inverse};
  std::vector<double> best(p.target.size());
  add_gumbel_levels(rows, levels, best, Instructions::best);
  for (const Instructions which : {Instructions::avx2, Instructions::baseline}) {
    std::vector<double> other(p.target.size());
    add_gumbel_levels(rows, levels, other, which);
    EXPECT_EQ(best, other);
  }
}

TEST(Iam, ResponsesByHand) {
  // p = 1: -ln(0.01 - ln(1.00001)) = -ln(0.0099900005) = 4.6061706...; p = 0:
  // -ln(0.01 - ln(1e-5)) = -ln(11.522925) = -2.444338....
  const auto responses = iam_responses(std::vector<double>{0, 1});
  EXPECT_NEAR(responses[0], -std::log(0.01 + 11.512925464970229), 1e-14);
  EXPECT_NEAR(responses[1], -std::log(0.01 - std::log1p(1e-5)), 1e-12);
  const auto unit = iam_responses(std::vector<double>{0, 1}, {.unit_range = true});
  EXPECT_EQ(unit[0], 0);
  EXPECT_EQ(unit[1], 1);
  EXPECT_THROW(iam_responses(std::vector<double>{0.5}, {.epsilon1 = 1e-6, .epsilon2 = 1e-2}),
               InputError);
  EXPECT_THROW(iam_responses(std::vector<double>{0.5}, {.epsilon1 = 0}), InputError);
}

// IAM paper, Lemmas 1 and 2: bounded responses are bounded by those of p = 0 and p = 1, and the gap
// of the unbounded map grows with p. Section 4.3 gives -2e-6 to -2e-8 for it with eps1 = 0.01, eps2
// = 1e-10 and p from 1e-5 to 1 - 1e-5; that is wrong: r(1 - 1e-5) = -ln(1.000005e-5) = 11.512920,
// the bounded map has -ln(0.01 + 1.000005e-5 - 1e-10) = 4.604171, and the gap is 6.908750.
TEST(Iam, LemmasOfTheBoundedMap) {
  const ResponseOptions bounded{.epsilon1 = 0.01, .epsilon2 = 1e-10};
  std::vector<double> p = {1e-5};
  for (int i = 1; i < 1000; ++i) p.push_back(i / 1000.0);
  p.push_back(1 - 1e-5);
  const auto responses = iam_responses(p, bounded);
  const auto free = iam_responses(p, {.bounded = false});
  const auto ends = iam_responses(std::vector<double>{0, 1}, bounded);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(free[i], -std::log(-std::log(p[i])), 1e-12);
    EXPECT_GE(responses[i], ends[0]);
    EXPECT_LE(responses[i], ends[1]);
    if (i > 0) {
      EXPECT_GT(free[i] - responses[i], free[i - 1] - responses[i - 1]) << p[i];
    }
  }
  EXPECT_NEAR(free.back() - responses.back(), 6.908750, 2e-6);
  const auto infinite = iam_responses(std::vector<double>{0, 1}, {.bounded = false});
  EXPECT_TRUE(std::isinf(infinite[0]) && infinite[0] < 0);
  EXPECT_TRUE(std::isinf(infinite[1]) && infinite[1] > 0);
  EXPECT_THROW(iam_responses(p, {.unit_range = true, .bounded = false}), InputError);
}

// Lemma 3: with all confidences in [a, b] the means of both maps differ by what their gap g is at a
// and b at most, and, by Popoviciu's inequality for g, their standard deviations by (g(b) - g(a))
// / 2. The variance of the bounded map itself is below a quarter of its squared range (eq. 15).
TEST(Iam, MeansAndSpreadsOfBothMapsStayNear) {
  const ResponseOptions bounded{.epsilon1 = 0.01, .epsilon2 = 1e-10};
  const auto gap = [&](double p) {
    const std::vector<double> at = {p};
    return iam_responses(at, {.bounded = false})[0] - iam_responses(at, bounded)[0];
  };
  Stream stream(4, "test.iam.lemma3");
  for (int trial = 0; trial < 50; ++trial) {
    const double a = 0.9 * stream.uniform(), b = a + (0.999 - a) * stream.uniform();
    std::vector<double> p(20);
    for (double& value : p) value = a + (b - a) * stream.uniform();
    const auto responses = iam_responses(p, bounded);
    const auto free = iam_responses(p, {.bounded = false});
    const double apart = mean(free) - mean(responses);
    EXPECT_GE(apart, gap(a) - 1e-12);
    EXPECT_LE(apart, gap(b) + 1e-12);
    // Divided by n - 1, which is at most sqrt(20 / 19) of the population's.
    const double wider = std::sqrt(20.0 / 19.0);
    EXPECT_LE(std::abs(standard_deviation(free) - standard_deviation(responses)),
              wider * (gap(b) - gap(a)) / 2 + 1e-12);
    const auto ends = iam_responses(std::vector<double>{0, 1}, bounded);
    EXPECT_LT(standard_deviation(responses), wider * (ends[1] - ends[0]) / 2);
  }
}

TEST(Iam, ScoreIsUnchangedByTheUnitRangeMap) {
  // The map is affine and increasing, and so are location and scale of the fit.
  Stream stream(3, "test.iam.range");
  std::vector<double> target(50), in(50);
  Matrix shadows(2, 50);
  for (auto* values : {&target, &in}) {
    for (double& value : *values) value = stream.uniform();
  }
  for (double& value : shadows.values()) value = stream.uniform();
  const auto scores = [&](const ResponseOptions& options) {
    Matrix responses(2, 50);
    const auto values = iam_responses(shadows.values(), options);
    std::copy(values.begin(), values.end(), responses.values().begin());
    return iam_scores(iam_responses(target, options), shadow_moments(responses),
                      iam_responses(in, options));
  };
  const auto plain = scores({});
  const auto mapped = scores({.unit_range = true});
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], mapped[i], 1e-12);
}

TEST(Iam, ScoreGrowsWithTheResponseFromZeroToOne) {
  const Problem p = random_problem(40, 4, 5);
  const ShadowMoments moments = shadow_moments(p.shadows);
  std::vector<double> previous(p.target.size(), 0);
  for (double shift = -40; shift <= 40; shift += 1) {
    std::vector<double> target = p.in;
    for (double& value : target) value += shift;
    const auto scores = iam_scores(target, moments, p.in);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_GE(scores[i], previous[i]);
      EXPECT_LE(scores[i], 1);
    }
    if (shift == -40) {
      for (const double score : scores) EXPECT_LT(score, 1e-12);
    }
    if (shift == 40) {
      for (const double score : scores) EXPECT_GT(score, 1 - 1e-6);
    }
    previous = scores;
  }
}

TEST(Iam, NoSpreadIsUndefined) {
  // 0.1 + 0.1 + 0.1 != 3 * 0.1: a mean of equal numbers may be off by a rounding, which is no
  // spread.
  Matrix shadows(3, 4);
  for (double& value : shadows.values()) value = 0.1;
  const std::vector<double> target = {0, 0.1, 0.2, 0.3};
  const std::vector<double> in(4, 0.7);
  for (const double score : iam_scores(target, shadow_moments(shadows), in)) {
    EXPECT_TRUE(std::isnan(score));
  }
  const Problem p = random_problem(6, 1, 9);
  const IamOptions per_row{.variance = IamVariance::per_row};
  for (const double score : iam_scores(p.target, shadow_moments(p.shadows), p.in, per_row)) {
    EXPECT_TRUE(std::isnan(score));
  }
  // One row without spread leaves the others alone.
  Problem q = random_problem(6, 3, 10);
  for (std::size_t j = 0; j < 3; ++j) q.shadows(j, 2) = 0.5;
  const auto scores = iam_scores(q.target, shadow_moments(q.shadows), q.in, per_row);
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(std::isnan(scores[i]), i == 2);
}

TEST(Iam, NanStaysInItsRow) {
  Problem p = random_problem(600, 2, 11);
  p.target[300] = kUndefined;
  const auto scores = iam_scores(p.target, shadow_moments(p.shadows), p.in);
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(std::isnan(scores[i]), i == 300);
}

TEST(Iam, OfflineInIsTheMeanOfMeans) {
  const std::vector<std::vector<double>> responses = {{1, 3}, {5}};
  EXPECT_DOUBLE_EQ(offline_in(responses), 3.5);
  EXPECT_TRUE(std::isnan(offline_in({})));
}

TEST(Iam, BadInputIsNamed) {
  const Problem p = random_problem(5, 2, 1);
  const ShadowMoments moments = shadow_moments(p.shadows);
  EXPECT_THROW(iam_scores(p.target, moments, p.in, {.levels = 1}), InputError);
  EXPECT_THROW(iam_scores(std::span(p.target).first(4), moments, p.in), InputError);
  EXPECT_THROW(shadow_moments(Matrix(0, 5)), InputError);
}

}  // namespace
}  // namespace vestige::metrics
