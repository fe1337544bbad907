// Rank statistics against scipy's values in tests/reference and pair counting.
#include "vestige/metrics/stats/rank_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

TEST(MannWhitney, ReferenceCases) {
  for (const char* name : {"equal_sets", "separated", "t200", "ties", "tiny_1_1"}) {
    const AttackCase test_case("mannwhitney", name);
    const std::vector<double> x = test_case.input("x"), y = test_case.input("y");
    test_case.check("U", {mann_whitney(x, y).u});
    test_case.check("p_greater_asymptotic", {mann_whitney(x, y, Alternative::greater).p});
    test_case.check("p_less_asymptotic", {mann_whitney(x, y, Alternative::less).p});
    test_case.check("p_two-sided_asymptotic", {mann_whitney(x, y, Alternative::two_sided).p});
    test_case.check("p_greater_asymptotic_nocc",
                    {mann_whitney(x, y, Alternative::greater, false).p});
  }
}

TEST(MannWhitney, CountsPairs) {
  Stream stream(7, "test.mann_whitney");
  for (int round = 0; round < 50; ++round) {
    std::vector<double> x(1 + stream.below(12)), y(1 + stream.below(12));
    for (double& value : x) value = static_cast<double>(stream.below(5));
    for (double& value : y) value = static_cast<double>(stream.below(5));
    double pairs = 0;
    for (const double a : x) {
      for (const double b : y) pairs += a > b ? 1 : a == b ? 0.5 : 0;
    }
    EXPECT_DOUBLE_EQ(mann_whitney(x, y).u, pairs);
  }
}

TEST(MannWhitney, Degenerate) {
  const std::vector<double> same{1, 1};
  EXPECT_DOUBLE_EQ(mann_whitney(same, same).p, 1);
  EXPECT_TRUE(std::isnan(mann_whitney(same, same).z));
  EXPECT_TRUE(std::isnan(mann_whitney({}, same).u));
  EXPECT_TRUE(std::isnan(mann_whitney(std::vector<double>{std::nan("")}, same).p));
}

TEST(Spearman, ReferenceCases) {
  for (const char* name : {"monotone", "n3", "n50"}) {
    const AttackCase test_case("spearman", name);
    const Spearman result = spearman(test_case.input("x"), test_case.input("y"));
    test_case.check("rho", {result.rho});
    test_case.check("p", {result.p});
  }
}

TEST(Spearman, UndefinedOnConstantsAndNan) {
  const std::vector<double> rising{1, 2, 3}, same{4, 4, 4};
  EXPECT_TRUE(std::isnan(spearman(rising, same).rho));
  EXPECT_TRUE(std::isnan(spearman(rising, same).p));
  EXPECT_TRUE(std::isnan(spearman(rising, std::vector<double>{1, std::nan(""), 2}).rho));
  EXPECT_TRUE(std::isnan(spearman(std::vector<double>{1, 2}, std::vector<double>{2, 3}).p));
  EXPECT_THROW(spearman(rising, std::vector<double>{1}), InputError);
}

TEST(MidRanks, SharedByTies) {
  EXPECT_EQ(mid_ranks(std::vector<double>{5, 1, 5, 3}), (std::vector<double>{3.5, 1, 3.5, 2}));
  EXPECT_THROW(mid_ranks(std::vector<double>{std::nan("")}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
