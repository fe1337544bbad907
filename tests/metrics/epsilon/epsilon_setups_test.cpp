// Which models stand behind each estimate, and the interval over estimates.
#include "vestige/metrics/epsilon/epsilon_setups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/epsilon/epsilon_score.h"

namespace vestige::metrics {
namespace {

using Indices = std::vector<std::size_t>;

TEST(EpsilonSetups, NamesAreReadBack) {
  for (const char* text : {"full", "reuse-n-n", "reuse-n-1", "bootstrap"}) {
    EXPECT_EQ(name(epsilon_setup(text)), text);
  }
  EXPECT_THROW(epsilon_setup("jackknife"), InputError);
}

TEST(EpsilonSetups, FullTakesDisjointGroups) {
  const auto groups = full_groups(7, 6, {.models = 2, .experiments = 3});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].unlearned, (Indices{0, 1}));
  EXPECT_EQ(groups[2].unlearned, (Indices{4, 5}));
  EXPECT_EQ(groups[2].retrained, (Indices{4, 5}));
  // What is not given is the largest that fits.
  EXPECT_EQ(full_groups(7, 6, {.models = 2}).size(), 3U);
  EXPECT_EQ(full_groups(7, 6, {.experiments = 2})[0].unlearned.size(), 3U);
  EXPECT_EQ(full_groups(40, 40, {}).size(), 2U);
  EXPECT_THROW(full_groups(7, 6, {.models = 2, .experiments = 4}), InputError);
  EXPECT_THROW(full_groups(7, 6, {.models = 7}), InputError);
  EXPECT_THROW(full_groups(1, 1, {}), InputError);
}

// Six models: runs 0, 1 of original 0 are models 0, 3; of original 1 models 1, 4; of 2: 2, 5.
TEST(EpsilonSetups, ReuseNNTakesOneRunOfEachOriginal) {
  const Indices origin = {0, 1, 2, 0, 1, 2};
  const auto groups = reuse_n_n_groups(origin, 5, {});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].unlearned, (Indices{0, 1, 2}));
  EXPECT_EQ(groups[1].unlearned, (Indices{3, 4, 5}));
  EXPECT_EQ(groups[0].retrained, (Indices{0, 1, 2}));
  EXPECT_EQ(groups[1].retrained, (Indices{0, 1, 2}));
  EXPECT_EQ(reuse_n_n_groups(origin, 2, {})[0].unlearned.size(), 2U);
  EXPECT_THROW(reuse_n_n_groups(origin, 5, {.experiments = 3}), InputError);
  EXPECT_THROW(reuse_n_n_groups(origin, 5, {.models = 4}), InputError);
  EXPECT_THROW(reuse_n_n_groups(origin, 0, {}), InputError);
  EXPECT_THROW(reuse_n_n_groups(Indices{}, 5, {}), InputError);
}

TEST(EpsilonSetups, ReuseN1TakesRunsOfOneOriginal) {
  const Indices origin = {0, 1, 1, 1, 1, 0, 1};
  const auto groups = reuse_n_1_groups(origin, 9, {.models = 2});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].unlearned, (Indices{1, 2}));
  EXPECT_EQ(groups[1].unlearned, (Indices{3, 4}));
  EXPECT_EQ(groups[1].retrained, (Indices{0, 1}));
  EXPECT_EQ(reuse_n_1_groups(origin, 9, {}).size(), 2U);
  EXPECT_EQ(reuse_n_1_groups(origin, 1, {}).size(), 5U);
  EXPECT_THROW(reuse_n_1_groups(origin, 9, {.models = 3, .experiments = 2}), InputError);
  EXPECT_THROW(reuse_n_1_groups(origin, 1, {.models = 2}), InputError);
  EXPECT_THROW(reuse_n_1_groups(Indices{}, 3, {}), InputError);
}

TEST(EpsilonSetups, BootstrapDrawsTripletsWithReplacement) {
  const auto groups = bootstrap_groups(80, {}, 1);
  ASSERT_EQ(groups.size(), 20U);  // the paper's E
  std::set<std::size_t> seen;
  bool repeated = false;
  for (const ModelGroup& group : groups) {
    EXPECT_EQ(group.unlearned.size(), 10U);  // the paper's K = 8 N
    EXPECT_EQ(group.unlearned, group.retrained);
    const std::set<std::size_t> distinct(group.unlearned.begin(), group.unlearned.end());
    repeated = repeated || distinct.size() < group.unlearned.size();
    seen.insert(distinct.begin(), distinct.end());
  }
  EXPECT_TRUE(repeated);
  EXPECT_LT(*seen.rbegin(), 80U);
  EXPECT_GT(seen.size(), 60U);  // 200 draws of 80 leave out 6.5 on average
  EXPECT_EQ(bootstrap_groups(80, {}, 1)[3].unlearned, groups[3].unlearned);
  EXPECT_NE(bootstrap_groups(80, {}, 2)[3].unlearned, groups[3].unlearned);
  EXPECT_THROW(bootstrap_groups(0, {}, 1), InputError);
}

// Estimates are F of the groups; for two of them the t interval is mean +- 12.706 * |difference| /
// 2 (quantile of Student's t with one degree of freedom: tan(0.475 pi) = 12.706).
TEST(EpsilonSetups, EstimatesAreTheScoresOfTheGroups) {
  Stream stream(1, "epsilon_setups_test");
  Matrix unlearned(20, 50);
  Matrix retrained(20, 50);
  for (double& value : unlearned.values()) value = stream.normal();
  for (double& value : retrained.values()) value = stream.normal() + 0.4;
  const SetupEstimate estimate =
      estimate_setup(unlearned, retrained, full_groups(20, 20, {.models = 10}));
  ASSERT_EQ(estimate.estimates.size(), 2U);
  const MatrixView first_unlearned{unlearned.view().data, 10, 50};
  const MatrixView first_retrained{retrained.view().data, 10, 50};
  EXPECT_EQ(estimate.estimates[0], forget_quality(first_unlearned, first_retrained).score.value);
  const double mean = (estimate.estimates[0] + estimate.estimates[1]) / 2;
  const double half = std::tan(0.475 * std::acos(-1.0)) *
                      std::abs(estimate.estimates[0] - estimate.estimates[1]) / 2;
  EXPECT_NEAR(estimate.mean.value, mean, 1e-15);
  EXPECT_NEAR(estimate.mean.lower, mean - half, 1e-9);
  EXPECT_NEAR(estimate.mean.upper, mean + half, 1e-9);
}

TEST(EpsilonSetups, OneEstimateHasNoInterval) {
  const ModelGroup all{{0, 1}, {0, 1}};
  const SetupEstimate estimate = estimate_setup(Matrix(2, 3), Matrix(2, 3), {&all, 1});
  EXPECT_EQ(estimate.mean.value, 0);  // N = 2 has no bins
  EXPECT_TRUE(std::isnan(estimate.mean.lower));
  const ModelGroup outside{{0, 2}, {0, 1}};
  EXPECT_THROW(estimate_setup(Matrix(2, 3), Matrix(2, 3), {&outside, 1}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
