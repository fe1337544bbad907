// The entropy and the support vector attack against scikit-learn's fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/support/attack_case.h"
#include "vestige/metrics/learn/entropy_attack.h"
#include "vestige/metrics/learn/svc_membership.h"

namespace vestige::metrics {
namespace {

Matrix matrix_of(const AttackCase& test_case, const char* input) {
  const std::vector<double> values = test_case.input(input);
  const std::size_t cols = test_case.columns(input);
  Matrix result(values.size() / cols, cols);
  std::ranges::copy(values, result.values().begin());
  return result;
}

TEST(Membership, ReferenceCases) {
  for (const char* name : {"constant", "n80", "separable"}) {
    const AttackCase test_case("mia_classifiers", name);
    const auto retain = entropies(matrix_of(test_case, "p_retain"));
    const auto test = entropies(matrix_of(test_case, "p_test"));
    const auto forget = entropies(matrix_of(test_case, "p_forget"));
    test_case.check("entropy_retain", retain);
    test_case.check("entropy_forget", forget);
    const LogisticMembership logistic = logistic_membership(retain, test, forget);
    test_case.check("lr_pred", {logistic.predictions.begin(), logistic.predictions.end()});
    test_case.check("lr_mia", {logistic.member_share});
    const SvcMembership svc = svc_membership(retain, test, forget);
    test_case.check("svc_decision", svc.decisions);
    test_case.check("svc_pred", {svc.predictions.begin(), svc.predictions.end()});
    test_case.check("svc_mia", {svc.member_share});
    test_case.check("svc_n_sv", {static_cast<double>(svc.support_vectors)});
  }
}

TEST(Membership, UndefinedWithoutRows) {
  const std::vector<double> some{1, 2}, none;
  EXPECT_TRUE(std::isnan(logistic_membership(none, some, some).member_share));
  EXPECT_TRUE(std::isnan(logistic_membership(some, some, none).member_share));
  EXPECT_TRUE(std::isnan(svc_membership(some, none, some).member_share));
}

TEST(Membership, LargeSidesAreSubsampled) {
  std::vector<double> retain(300), test(300);
  for (std::size_t i = 0; i < 300; ++i) {
    retain[i] = 0.001 * static_cast<double>(i);
    test[i] = 2 + 0.001 * static_cast<double>(i);
  }
  const SvcMembership few = svc_membership(retain, test, retain, {.max_rows = 20});
  EXPECT_LE(few.support_vectors, 40u);
  EXPECT_DOUBLE_EQ(few.member_share, 1);
}

}  // namespace
}  // namespace vestige::metrics
