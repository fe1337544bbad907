// Entropies whose values are known by hand.
#include "vestige/metrics/entropy/entropy_family.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/mean_of.h"

namespace vestige::metrics {

TEST(EntropyFamily, UniformIsLogOfClassesAndCertaintyIsZero) {
  const Row row = mean_of(entropy_family(), "entropy.forget", {{1, 0, 0}, {0.5, 0.5, 0}}, {0, 0});
  EXPECT_NEAR(row.value, std::log(2) / 2, 1e-12);  // 0 and ln 2
  // Two values with one degree of freedom: t = 12.7062 times the standard error ln(2) / 2.
  EXPECT_NEAR(row.upper - row.value, 12.7062 * std::log(2) / 2, 1e-4);
}

}  // namespace vestige::metrics
