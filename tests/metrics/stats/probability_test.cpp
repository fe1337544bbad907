// Probabilities against printed tables and closed forms.
#include "vestige/metrics/stats/probability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace vestige::metrics {
namespace {

// Phi(1.96) = 0.9750021, z of 5 % = 1.6448536 (any table); Phi(z) = erfc(-z / sqrt 2) / 2.
TEST(Probability, NormalTables) {
  EXPECT_NEAR(normal_probability(1.96), 0.9750021, 5e-8);
  EXPECT_NEAR(normal_critical(0.05), 1.6448536, 5e-8);
  for (const double z : {-8.0, -1.0, 0.0, 0.3, 5.0}) {
    EXPECT_NEAR(normal_probability(z), std::erfc(-z / std::numbers::sqrt2) / 2, 1e-15);
  }
}

// One degree of freedom is the Cauchy distribution: P(|T| >= t) = 1 - 2 atan(t) / pi. With two,
// P(|T| >= t) = 1 - t / sqrt(2 + t^2).
TEST(Probability, StudentsClosedForms) {
  for (const double t : {-3.0, 0.0, 0.5, 12.0}) {
    EXPECT_NEAR(two_sided_t(t, 1), 1 - 2 * std::atan(std::abs(t)) / std::numbers::pi, 1e-14);
    EXPECT_NEAR(two_sided_t(t, 2), 1 - std::abs(t) / std::sqrt(2 + t * t), 1e-14);
  }
}

}  // namespace
}  // namespace vestige::metrics
