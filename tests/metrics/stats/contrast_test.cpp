// Gaps between target and unseen rows, by hand and against known truths.
#include "vestige/metrics/stats/contrast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::metrics {
namespace {

Matrix rows_of(const std::vector<std::vector<double>>& values) {
  Matrix matrix(values.size(), values.front().size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values[i].size(); ++j) matrix(i, j) = values[i][j];
  }
  return matrix;
}

std::shared_ptr<const Strata> alike(std::size_t target, std::size_t unseen) {
  return std::make_shared<Strata>(one_stratum(target, unseen));
}

// One model, one stratum: Welch's t-test of two samples.
TEST(Contrast, TheGapOfOneModelIsWelchs) {
  const std::vector<double> target = {1, 3, 4, 8, 9}, unseen = {2, 2, 5};
  const Gap seen = gap(contrast(rows_of({target}), rows_of({unseen}), alike(5, 3)));
  const WelchT welch = welch_t(target, unseen);
  EXPECT_NEAR(seen.estimate, 2, 1e-12);  // 5 - 3
  EXPECT_NEAR(seen.error, welch.standard_error, 1e-12);
  EXPECT_NEAR(seen.degrees, welch.degrees_of_freedom, 1e-9);
}

// Two models that differ on unseen rows by person: 1, 1 and 3, 3, about a mean of 2. Each row has
// the share 1/4, each person 1/2: u = -1/2 and 1/2, together 2/1 (1/4 + 1/4) = 1, rows alone
// (4/3)/4 = 1/3; a person's variance is (1 - 1/3) / (1/4 + 1/4) = 4/3. The target has one person,
// share 1: 4/3 (1/2 + 1) = 2 comes to the rows' 1/3.
TEST(Contrast, TwoSingleModelsDifferByPerson) {
  Strata strata = one_stratum(2, 4);
  strata.target_person = {7, 7};
  strata.unseen_person = {0, 0, 1, 1};
  const auto persons = std::make_shared<Strata>(strata);
  const Matrix zeros = rows_of({{0, 0}}), none = rows_of({{0, 0, 0, 0}});
  const Matrix target = rows_of({{5, 5}}), unseen = rows_of({{1, 1, 3, 3}});
  const Gap seen =
      gap_difference(contrast(target, unseen, persons), contrast(zeros, none, persons));
  EXPECT_NEAR(seen.estimate, 3, 1e-12);
  EXPECT_NEAR(seen.error, std::sqrt(2 + 1.0 / 3), 1e-12);
  const Gap plain =
      gap_difference(contrast(target, unseen, alike(2, 4)), contrast(zeros, none, alike(2, 4)));
  EXPECT_NEAR(plain.error, std::sqrt(1.0 / 3), 1e-12);
  // Persons that differ no more than rows do add nothing.
  const Matrix mixed = rows_of({{1, 3, 1, 3}});
  EXPECT_NEAR(
      gap_difference(contrast(target, mixed, persons), contrast(zeros, none, persons)).error,
      std::sqrt(1.0 / 3), 1e-12);
  // With several models their own spread says it.
  const Matrix two = rows_of({{5, 5}, {5, 5}}), two_unseen = rows_of({{1, 1, 3, 3}, {1, 1, 3, 3}});
  EXPECT_NEAR(
      gap_difference(contrast(two, two_unseen, persons), contrast(zeros, none, persons)).error,
      std::sqrt(1.0 / 3), 1e-12);
}

// What a model adds to every row of both kinds is no difference.
TEST(Contrast, AShiftOfAllRowsIsNothing) {
  const Matrix target = rows_of({{1, 5, 2, 4}}), unseen = rows_of({{3, 1, 2}});
  const Matrix shifted = rows_of({{11, 15, 12, 14}}), shifted_unseen = rows_of({{13, 11, 12}});
  const auto strata = alike(4, 3);
  const Gap seen =
      gap_difference(contrast(shifted, shifted_unseen, strata), contrast(target, unseen, strata));
  EXPECT_NEAR(seen.estimate, 0, 1e-12);
  EXPECT_NEAR(seen.error, 0, 1e-12);
}

// Two classes: 3 of 4 target rows are of class 0. Class 0: target 4, unseen 1; class 1: 10 and 8.
// 0.75 * 3 + 0.25 * 2 would need two rows of class 1, so give it two of eight: 0.75, 0.25.
TEST(Contrast, ClassesAreStandardisedToTheTarget) {
  const std::vector<std::int64_t> target = {0, 0, 0, 0, 0, 0, 1, 1}, unseen = {0, 0, 1, 1, 1, 1, 7};
  const auto strata = std::make_shared<Strata>(strata_by_class(target, unseen));
  EXPECT_EQ(strata->count, 3U);  // 0, 1 and a class that target lacks
  const Matrix ours = rows_of({{4, 4, 4, 4, 4, 4, 10, 10}});
  const Matrix theirs = rows_of({{1, 1, 8, 8, 8, 8, 1000}});
  EXPECT_NEAR(gap(contrast(ours, theirs, strata)).estimate, 0.75 * 3 + 0.25 * 2, 1e-12);
}

TEST(Contrast, TooFewRowsOfAClassMakeOneStratum) {
  EXPECT_EQ(
      strata_by_class(std::vector<std::int64_t>{0, 0, 1}, std::vector<std::int64_t>{0, 0, 1}).count,
      1U);
  EXPECT_EQ(
      strata_by_class(std::vector<std::int64_t>{3, 3}, std::vector<std::int64_t>{0, 0, 1, 1}).count,
      1U);
}

/// k models whose gap is `shift` plus the model's own N(0, spread), rows N(0, 1) apart and shared.
struct Simulated {
  std::mt19937_64 generator;
  double spread = 0;
  std::vector<double> row_target = std::vector<double>(150), row_unseen = std::vector<double>(250);

  double normal() { return std::normal_distribution<double>()(generator); }
  void new_rows() {
    for (double& value : row_target) value = normal();
    for (double& value : row_unseen) value = normal();
  }
  Contrast models(std::size_t count, double shift) {
    Matrix target(count, row_target.size()), unseen(count, row_unseen.size());
    for (std::size_t model = 0; model < count; ++model) {
      const double own = shift + spread * normal();
      for (std::size_t row = 0; row < target.cols(); ++row) {
        target(model, row) = row_target[row] + own + normal();
      }
      for (std::size_t row = 0; row < unseen.cols(); ++row) {
        unseen(model, row) = row_unseen[row] + normal();
      }
    }
    return contrast(target, unseen, alike(target.cols(), unseen.cols()));
  }
};

/// Share of 2,000 draws in which the interval of `level` misses the true difference.
double misses(std::size_t models, double spread, double level) {
  Simulated simulated{std::mt19937_64(7), spread};
  int missed = 0;
  constexpr int kDraws = 2000;
  for (int draw = 0; draw < kDraws; ++draw) {
    simulated.new_rows();
    const Gap seen = gap_difference(simulated.models(models, 0.3), simulated.models(models, 0));
    missed += std::abs(seen.estimate - 0.3) > t_half_width(seen.error, seen.degrees, level);
  }
  return static_cast<double>(missed) / kDraws;
}

/// The same share from the rule alone, without rows or models: the estimate is normal, the models'
/// variance a chi-squared one of 2 (k - 1) degrees of freedom, moderated by 2.
double misses_by_rule(std::size_t models, double spread, double level) {
  std::mt19937_64 generator(11);
  const auto k = static_cast<double>(models);
  const double degrees = 2 * (k - 1), rows = 1.0 / 150 + 1.0 / 250, own = spread * spread;
  std::normal_distribution<double> normal(0, std::sqrt(2 / k * (rows + own)));
  std::chi_squared_distribution<double> chi(degrees);
  int missed = 0;
  constexpr int kDraws = 20000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double seen = std::max(0.0, (rows + own) * chi(generator) / degrees - rows);
    const double added = 2 / k * seen * degrees / (degrees + 2), total = 2 / k * rows + added;
    const double freedom = added > 0 ? total * total * (degrees + 2) / (added * added) : 400;
    missed += std::abs(normal(generator)) >
              t_half_width(std::sqrt(total), std::min(freedom, 400.0), level);
  }
  return static_cast<double>(missed) / kDraws;
}

// Rows alone: a 95 % interval misses in 5 % of draws (2,000 draws: standard error 0.5 points), and
// one of 90 % in 10 %.
TEST(Contrast, IntervalsOverRowsCoverAsTheySay) {
  EXPECT_NEAR(misses(1, 0, 0.95), 0.05, 0.015);
  EXPECT_NEAR(misses(1, 0, 0.90), 0.10, 0.02);
  EXPECT_NEAR(misses(4, 0, 0.95), 0.04, 0.02);
}

// Few models of much variance: intervals are short, which is the price of moderating, by as much as
// the rule says and no more.
TEST(Contrast, IntervalsOverModelsCoverAsTheRuleSays) {
  for (const std::size_t models : std::vector<std::size_t>{4, 10}) {
    EXPECT_NEAR(misses(models, 0.2, 0.95), misses_by_rule(models, 0.2, 0.95), 0.02) << models;
  }
  EXPECT_LT(misses_by_rule(40, 0.2, 0.95), 0.06);
}

// The models' own variance makes the interval wide even if there are thousands of rows.
TEST(Contrast, ModelsThatVaryAreCounted) {
  Simulated simulated{std::mt19937_64(3), 1.0};
  simulated.new_rows();
  const Gap varied = gap_difference(simulated.models(8, 0), simulated.models(8, 0));
  EXPECT_GT(varied.error, 0.25);  // sqrt(2 / 8) = 0.5
  EXPECT_LT(varied.error, 1.0);
}

// Surer on one half, less sure on the other: no gap, and a distance.
TEST(Contrast, DistanceSeesBothWays) {
  const auto strata = alike(4, 4);
  const Contrast retrained = contrast(rows_of({{0, 0, 0, 0}}), rows_of({{0, 0, 0, 0}}), strata);
  const Contrast uneven = contrast(rows_of({{1, -1, 1, -1}}), rows_of({{0, 0, 0, 0}}), strata);
  EXPECT_NEAR(gap_difference(uneven, retrained).estimate, 0, 1e-12);
  EXPECT_NEAR(distance_gap(uneven, retrained).estimate, 1, 1e-12);
}

// By hand: all target values lie below all unseen ones, so that the distance is 1; chance brings
// sqrt(pi / 2) ln 2 sqrt(1/50 + 1/50) = 0.1737 of it.
TEST(Contrast, UnlikenessIsADistanceBeyondChance) {
  Contrast group;
  for (int i = 0; i < 50; ++i) {
    group.target.push_back(0.001 * i);
    group.unseen.push_back(0.5 + 0.001 * i);
  }
  EXPECT_NEAR(unlikeness(group), 1 - 0.1737, 1e-3);
  group.unseen = group.target;
  EXPECT_EQ(unlikeness(group), 0);
}

// Two single models: the assumed spread is all that is added to the error over rows.
TEST(Contrast, AssumedSpreadWidensTheErrorOfSingleModels) {
  Contrast left, right;
  left.strata = right.strata = std::make_shared<Strata>(one_stratum(4, 4));
  left.target = {0.9, 0.8, 0.7, 0.9};
  left.unseen = {0.5, 0.6, 0.5, 0.4};
  right.target = {0.1, 0.2, 0.2, 0.1};
  right.unseen = {0.5, 0.5, 0.6, 0.4};
  left.by_model = {0.3};
  right.by_model = {-0.35};
  const double plain = gap_difference(left, right).error;
  EXPECT_NEAR(gap_difference(left, right, 0.1).error, std::hypot(plain, 0.1), 1e-12);
}

}  // namespace
}  // namespace vestige::metrics
