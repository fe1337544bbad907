// t-tests against scipy's values in tests/reference and hand calculations.
#include "vestige/metrics/stats/t_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

TEST(PairedT, ReferenceCases) {
  for (const char* name : {"constant_diff", "n100", "n5_odd", "zero_diff"}) {
    const AttackCase test_case("paired_t", name);
    const PairedT result = paired_t(test_case.input("a"), test_case.input("b"));
    test_case.check("n", {static_cast<double>(result.n)});
    test_case.check("mean_diff", {result.mean_difference});
    test_case.check("sd_diff", {result.sd_difference});
    test_case.check("t", {result.t});
    test_case.check("p", {result.p});
    test_case.check("cohen_d", {result.cohen_d});
    test_case.check("ci_lower", {result.lower});
    test_case.check("ci_upper", {result.upper});
  }
}

TEST(PairedT, PaperTableFive) {
  const AttackCase test_case("paired_t", "paper0_table5");
  const std::vector<double> means = test_case.input("mean_diff");
  const std::vector<double> lower = test_case.input("ci_lower");
  const std::vector<double> upper = test_case.input("ci_upper");
  const auto n = static_cast<std::size_t>(test_case.parameter("n"));
  std::vector<double> d, p;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const PairedT row = paired_t_from_interval(means[i], lower[i], upper[i], n);
    d.push_back(row.cohen_d);
    p.push_back(row.p);
  }
  test_case.check("cohen_d", d);
  test_case.check("p", p);
}

TEST(PairedT, AlternativesAddUp) {
  const std::vector<double> a{1, 3, 2, 5}, b{0, 1, 4, 1};
  const double greater = paired_t(a, b, Alternative::greater).p;
  const double less = paired_t(a, b, Alternative::less).p;
  EXPECT_NEAR(greater + less, 1, 1e-15);
  EXPECT_NEAR(paired_t(a, b, Alternative::two_sided).p, 2 * std::min(greater, less), 1e-15);
}

TEST(PairedT, TooFewOrUnequal) {
  const PairedT one = paired_t(std::vector<double>{2}, std::vector<double>{1});
  EXPECT_DOUBLE_EQ(one.mean_difference, 1);
  EXPECT_TRUE(std::isnan(one.p));
  EXPECT_THROW(paired_t(std::vector<double>{1, 2}, std::vector<double>{1}), InputError);
  EXPECT_THROW(paired_t_from_interval(0, 1, -1, 10), InputError);
}

TEST(WelchT, ByHand) {
  // a: mean 2, variance 1, n 3; b: mean 6, variance 4, n 3. Standard error sqrt(1/3 + 4/3),
  // degrees of freedom (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = (25/9) / (17/18) = 50/17.
  const WelchT result = welch_t(std::vector<double>{1, 2, 3}, std::vector<double>{4, 6, 8});
  EXPECT_DOUBLE_EQ(result.mean_difference, -4);
  EXPECT_DOUBLE_EQ(result.standard_error, std::sqrt(5.0 / 3));
  EXPECT_NEAR(result.degrees_of_freedom, 50.0 / 17, 1e-14);
  EXPECT_NEAR(result.t, -4 / std::sqrt(5.0 / 3), 1e-14);
  EXPECT_LT(result.lower, -4);
  EXPECT_GT(result.upper, -4);
}

TEST(WelchT, UndefinedWithoutVariance) {
  const std::vector<double> same{1, 1, 1};
  EXPECT_TRUE(std::isnan(welch_t(same, same).p));
  EXPECT_TRUE(std::isnan(welch_t(same, std::vector<double>{1}).p));
}

TEST(Tost, AgreesWithItsInterval) {
  // By construction: equivalent at alpha iff the 1 - 2 alpha interval lies inside the margin.
  const std::vector<double> a{1.0, 1.1, 0.9, 1.05, 0.95}, b{1.02, 1.08, 0.97, 1.0, 0.99};
  for (const double margin : {0.01, 0.05, 0.1, 0.2, 1.0}) {
    for (const Equivalence& result : {tost_welch(a, b, margin), tost_paired(a, b, margin)}) {
      EXPECT_EQ(result.equivalent, result.lower > -margin && result.upper < margin) << margin;
    }
  }
  EXPECT_TRUE(tost_welch(a, b, 1.0).equivalent);
  EXPECT_FALSE(tost_welch(a, b, 0.01).equivalent);
}

TEST(Tost, BadInput) {
  const std::vector<double> a{1, 2};
  EXPECT_THROW(tost_welch(a, a, 0), InputError);
  EXPECT_THROW(tost_paired(a, a, 1, 0.7), InputError);
  EXPECT_FALSE(tost_welch(std::vector<double>{1}, a, 1).equivalent);
  EXPECT_TRUE(std::isnan(tost_welch(std::vector<double>{1}, a, 1).p));
}

}  // namespace
}  // namespace vestige::metrics
