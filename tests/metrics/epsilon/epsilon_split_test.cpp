// The split check: fitted cuts against an all-pairs oracle, smoothing by hand, and its purpose.
#include "vestige/metrics/epsilon/epsilon_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/metrics/epsilon/epsilon_oracle.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/epsilon/epsilon_reference.h"

namespace vestige::metrics {
namespace {

using Sample = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// All cuts in ascending order, single family first, strictly better only: the lowest among equals.
FittedAttack plain_fit(const Sample& unlearned, const Sample& retrained) {
  const Sample values = oracle::distinct_values(unlearned, retrained);
  const auto boundary = [&](std::size_t group) {
    if (group == 0) return -kInfinity;
    if (group == values.size()) return kInfinity;
    return (values[group - 1] + values[group]) / 2;
  };
  FittedAttack best;
  const auto consider = [&](std::size_t first, std::size_t last, bool positive_is_retrained) {
    const Sample& positive = positive_is_retrained ? retrained : unlearned;
    const Sample& negative = positive_is_retrained ? unlearned : retrained;
    const double lower = boundary(first);
    const double upper = boundary(last);
    const double epsilon = oracle::attack(oracle::share_inside(negative, lower, upper),
                                          oracle::share_outside(positive, lower, upper), 1e-5);
    if (epsilon > best.epsilon || (std::isnan(best.epsilon) && !std::isnan(epsilon))) {
      best = {epsilon, lower, upper, positive_is_retrained};
    }
  };
  const bool positive = oracle::median(retrained) > oracle::median(unlearned);
  for (std::size_t first = 0; first < values.size(); ++first) {
    consider(first, values.size(), positive);
  }
  const double unlearned_range = oracle::range(unlearned);
  const double retrained_range = oracle::range(retrained);
  const bool peaky =
      unlearned_range == retrained_range ? !positive : retrained_range < unlearned_range;
  for (std::size_t first = 0; first < values.size(); ++first) {
    for (std::size_t last = first + 1; last <= values.size(); ++last) consider(first, last, peaky);
  }
  return best;
}

TEST(EpsilonSplit, FitsTheLowestOfTheStrongestAttacks) {
  for (std::uint64_t index = 0; index < 20000; ++index) {
    Stream stream(1, "epsilon_split_test.fit", index);
    Sample unlearned(1 + stream.below(9));
    Sample retrained(1 + stream.below(9));
    const std::uint64_t levels = 1 + stream.below(10);
    for (double& value : unlearned) value = static_cast<double>(stream.below(levels));
    for (double& value : retrained) value = static_cast<double>(stream.below(levels + 3)) - 1;
    const FittedAttack fast = fit_attack(unlearned, retrained);
    const FittedAttack slow = plain_fit(unlearned, retrained);
    const bool same = std::isnan(slow.epsilon)
                          ? std::isnan(fast.epsilon)
                          : fast.epsilon == slow.epsilon && fast.lower == slow.lower &&
                                fast.upper == slow.upper &&
                                fast.positive_is_retrained == slow.positive_is_retrained;
    ASSERT_TRUE(same) << testing::PrintToString(unlearned) << " against "
                      << testing::PrintToString(retrained) << ": " << fast.epsilon << " ["
                      << fast.lower << ", " << fast.upper << "], oracle " << slow.epsilon << " ["
                      << slow.lower << ", " << slow.upper << "]";
  }
}

// By hand: n = 5, sd = sqrt(2.5) = 1.581, IQR / 1.34 = 2 / 1.34 = 1.493 is smaller.
TEST(EpsilonSplit, SilvermanBandwidth) {
  EXPECT_NEAR(silverman_bandwidth(Sample{1, 2, 3, 4, 5}), 0.9 * (2 / 1.34) * std::pow(5, -0.2),
              1e-14);
  // Quartiles coincide, so sd counts: mean 2, squares 4 x 4 + 64 = 80, variance 80 / 4 = 20.
  const Sample outlier = {0, 0, 0, 0, 10};
  EXPECT_NEAR(silverman_bandwidth(outlier), 0.9 * std::sqrt(20.0) * std::pow(5, -0.2), 1e-14);
  EXPECT_EQ(silverman_bandwidth(Sample{3, 3, 3}), 0);
  EXPECT_TRUE(std::isnan(silverman_bandwidth(Sample{3})));
}

// Standard normal table: Phi(1) = 0.841345, Phi(-1) = 0.158655, Phi(2) = 0.977250.
TEST(EpsilonSplit, SmoothedMassIsANormalProbability) {
  const SmoothedMass centre = smoothed_mass(Sample{0}, 1, -1, 1);
  EXPECT_NEAR(centre.inside, 0.6826894921370859, 1e-15);
  EXPECT_NEAR(centre.outside, 0.3173105078629141, 1e-15);
  EXPECT_NEAR(smoothed_mass(Sample{3}, 1, 1, 2).inside, 0.9772498680518208 - 0.8413447460685429,
              1e-15);
  EXPECT_NEAR(smoothed_mass(Sample{0, 3}, 1, -kInfinity, 1).inside,
              (0.8413447460685429 + 1 - 0.9772498680518208) / 2, 1e-15);
  // Far tails keep their digits: Phi(-20) = 2.7536241186062337e-89.
  EXPECT_NEAR(smoothed_mass(Sample{0}, 1, 20, kInfinity).inside / 2.7536241186062337e-89, 1, 1e-12);
  EXPECT_NEAR(smoothed_mass(Sample{20}, 1, 0, kInfinity).outside / 2.7536241186062337e-89, 1,
              1e-12);
  const SmoothedMass counted = smoothed_mass(Sample{0, 1, 2, 3}, 0, 0.5, 9);
  EXPECT_EQ(counted.inside, 0.75);
  EXPECT_EQ(counted.outside, 0.25);
}

// The rule that is returned has the eps that is returned: FPR and FNR counted by it, in double,
// against the float32 of the grids. Where one range is below 1 % of the other nothing is swept.
TEST(EpsilonSplit, ReferenceRuleHasItsEpsilon) {
  Stream stream(7, "epsilon_split_test.rule");
  for (int draw = 0; draw < 60; ++draw) {
    Sample unlearned(12), retrained(9);
    for (double& value : unlearned) value = stream.normal();
    const double scale = 0.2 + 2 * stream.uniform(), shift = stream.normal();
    for (double& value : retrained) value = shift + scale * stream.normal();
    for (const AttackFamilies families :
         {AttackFamilies::both, AttackFamilies::single, AttackFamilies::double_threshold}) {
      const EpsilonOptions options{.families = families};
      const double expected = reference_epsilon(unlearned, retrained, options).epsilon;
      const FittedAttack rule = reference_attack(unlearned, retrained, options);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(rule.epsilon));
        continue;
      }
      const Sample& positive = rule.positive_is_retrained ? retrained : unlearned;
      const Sample& negative = rule.positive_is_retrained ? unlearned : retrained;
      const double counted =
          oracle::attack(oracle::share_inside(negative, rule.lower, rule.upper),
                         oracle::share_outside(positive, rule.lower, rule.upper), 1e-5);
      EXPECT_NEAR(std::min(counted, 50.0), expected, 1e-5) << draw;
    }
  }
  const FittedAttack peaky = reference_attack(Sample{0, 10, 20}, Sample{4.9, 5, 5.05});
  EXPECT_EQ(peaky.lower, 4.9);
  EXPECT_EQ(peaky.upper, 5.05);
  EXPECT_TRUE(peaky.positive_is_retrained);
}

// Families are searched alone: against the all-pairs oracle.
TEST(EpsilonSplit, FamiliesAlone) {
  Stream stream(8, "epsilon_split_test.families");
  for (int draw = 0; draw < 50; ++draw) {
    Sample unlearned(10), retrained(10);
    for (double& value : unlearned) value = std::round(4 * stream.normal());
    for (double& value : retrained) value = std::round(4 * stream.normal() + 2);
    const oracle::Result plain = oracle::epsilon(unlearned, retrained);
    const auto eps = [&](AttackFamilies families) {
      return epsilon(unlearned, retrained, {.families = families}).epsilon;
    };
    const auto same = [](double left, double right) {
      return left == right || (std::isnan(left) && std::isnan(right));
    };
    EXPECT_TRUE(same(eps(AttackFamilies::single), plain.single)) << draw;
    EXPECT_TRUE(same(eps(AttackFamilies::double_threshold), plain.double_threshold)) << draw;
    const FittedAttack single = fit_attack(unlearned, retrained, 1e-5, AttackFamilies::single);
    EXPECT_TRUE(std::isnan(single.epsilon) || std::isinf(single.upper)) << draw;
  }
}

// Paper, A.13: N models to fit and N others to evaluate, by the grids of the public scorer.
TEST(EpsilonSplit, ReferenceModeAtTheSameN) {
  Stream stream(9, "epsilon_split_test.reference");
  Matrix unlearned(24, 60), retrained(24, 60);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal() + 0.5;
  const SplitScore split =
      split_forget_score(unlearned, retrained, {.mode = EpsilonMode::reference});
  EXPECT_EQ(split.fitting_models, 12U);
  EXPECT_EQ(split.evaluation_models, 12U);
  for (std::size_t row = 0; row < 60; ++row) {
    Sample left(24), right(24);
    for (std::size_t model = 0; model < 24; ++model) {
      left[model] = unlearned(model, row);
      right[model] = retrained(model, row);
    }
    const auto half = [](const Sample& all, bool second) {
      return second ? Sample(all.begin() + 12, all.end()) : Sample(all.begin(), all.begin() + 12);
    };
    const FittedAttack rule = reference_attack(half(left, false), half(right, false));
    const Sample positive = half(rule.positive_is_retrained ? right : left, true);
    const Sample negative = half(rule.positive_is_retrained ? left : right, true);
    const double expected = oracle::attack(
        smoothed_mass(negative, silverman_bandwidth(negative), rule.lower, rule.upper).inside,
        smoothed_mass(positive, silverman_bandwidth(positive), rule.lower, rule.upper).outside,
        1e-5);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(split.epsilons[row]));
    } else {
      EXPECT_NEAR(split.epsilons[row], std::min(expected, 50.0), 1e-9);
    }
  }
  const SplitScore uneven = split_forget_score(unlearned, retrained, {.fitting_models = 20});
  EXPECT_EQ(uneven.fitting_models, 20U);
  EXPECT_EQ(uneven.evaluation_models, 4U);
  EXPECT_THROW(split_forget_score(unlearned, retrained, {.fitting_models = 23}), InputError);
}

// Two samples of the same distribution: thresholds chosen and judged on the same models find eps
// where there is none, fresh models find less (paper, A.13 and Figure 19).
TEST(EpsilonSplit, FreshModelsShowLessThanFittedOnes) {
  Stream stream(2, "epsilon_split_test.same");
  Matrix unlearned(40, 200);
  Matrix retrained(40, 200);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal();
  const SplitScore split = split_forget_score(unlearned, retrained);
  EXPECT_EQ(split.fitting_models, 20U);
  EXPECT_EQ(split.evaluation_models, 20U);
  const MatrixView half_unlearned{unlearned.view().data, 20, 200};
  const MatrixView half_retrained{retrained.view().data, 20, 200};
  EXPECT_GT(split.score.value, 2 * forget_quality(half_unlearned, half_retrained).score.value);
}

// Far apart, fresh models are told apart just as well.
TEST(EpsilonSplit, SeparatedPoolsScoreZero) {
  Stream stream(3, "epsilon_split_test.apart");
  Matrix unlearned(12, 30);
  Matrix retrained(9, 30);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal() + 30;
  const SplitScore split = split_forget_score(unlearned, retrained);
  EXPECT_EQ(split.fitting_models, 4U);
  EXPECT_EQ(split.evaluation_models, 5U);
  EXPECT_EQ(split.score.value, 0);
}

TEST(EpsilonSplit, EvaluationModelsCanBeSwept) {
  Stream stream(4, "epsilon_split_test.sweep");
  Matrix unlearned(40, 100);
  Matrix retrained(40, 100);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal() + 1;
  const SplitScore few = split_forget_score(unlearned, retrained, {.evaluation_models = 6});
  EXPECT_EQ(few.evaluation_models, 6U);
  EXPECT_EQ(few.fitting_models, 20U);
  // Models behind the swept ones do not count.
  for (std::size_t row = 0; row < 100; ++row) unlearned(39, row) = 1000;
  EXPECT_EQ(split_forget_score(unlearned, retrained, {.evaluation_models = 6}).epsilons,
            few.epsilons);
  EXPECT_EQ(split_forget_score(unlearned, retrained, {.evaluation_models = 99}).evaluation_models,
            20U);
}

TEST(EpsilonSplit, UndefinedRows) {
  Matrix unlearned(4, 3);
  Matrix retrained(6, 3);
  unlearned(3, 1) = kInfinity;
  for (std::size_t model = 0; model < 6; ++model) retrained(model, 2) = 1;
  const SplitScore split = split_forget_score(unlearned, retrained);
  EXPECT_TRUE(std::isnan(split.epsilons[0]));  // two zeros against three: every attack is discarded
  EXPECT_TRUE(std::isnan(split.epsilons[1]));  // an infinite confidence cannot be smoothed
  EXPECT_EQ(split.epsilons[2], 50);            // constants apart: no smoothing, both rates 0
  EXPECT_EQ(split.score.undefined, 2U);
  // Equal constants of equal number: nothing to tell apart.
  EXPECT_EQ(split_forget_score(Matrix(4, 1), Matrix(4, 1)).epsilons[0], 0);
}

TEST(EpsilonSplit, SameBytesForAnyNumberOfThreads) {
  Stream stream(5, "epsilon_split_test.threads");
  Matrix unlearned(10, 64);
  Matrix retrained(10, 64);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal();
  const auto one = Context({.threads = 1}).run([&] {
    return split_forget_score(unlearned, retrained).epsilons;
  });
  const auto four = Context({.threads = 4}).run([&] {
    return split_forget_score(unlearned, retrained).epsilons;
  });
  EXPECT_EQ(one, four);
}

TEST(EpsilonSplit, RefusesBadInput) {
  EXPECT_THROW(split_forget_score(Matrix(3, 1), Matrix(4, 1)), InputError);
  EXPECT_THROW(split_forget_score(Matrix(4, 1), Matrix(4, 2)), InputError);
  EXPECT_THROW(split_forget_score(Matrix(4, 1), Matrix(4, 1), {.evaluation_models = 1}),
               InputError);
}

}  // namespace
}  // namespace vestige::metrics
