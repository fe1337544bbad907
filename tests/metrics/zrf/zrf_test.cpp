// ZRF against the published code's values and bounds of the divergence.
#include "vestige/metrics/zrf/zrf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

TEST(Zrf, ReferenceCases) {
  for (const char* name : {"c5_random", "identical", "zeros"}) {
    const AttackCase test_case("zrf", name);
    const std::vector<double> p = test_case.input("p_model"), q = test_case.input("p_gold");
    const std::size_t classes = test_case.columns("p_model");
    const Zrf result =
        zrf({p.data(), p.size() / classes, classes}, {q.data(), q.size() / classes, classes});
    test_case.check("zrf_reference", {result.reference});
    test_case.check("zrf_true_nats", {result.score});
    test_case.check("jsd_true_mean_nats", {result.divergence()});
  }
}

TEST(Zrf, DisjointPredictionsAreLn2Apart) {
  const double p[] = {1, 0}, q[] = {0, 1};
  EXPECT_DOUBLE_EQ(zrf({p, 1, 2}, {q, 1, 2}).score, 1 - std::log(2.0));
}

TEST(Zrf, NoRowsAndWrongShapes) {
  const double p[] = {0.5, 0.5};
  EXPECT_TRUE(std::isnan(zrf({p, 0, 2}, {p, 0, 2}).score));
  EXPECT_THROW(zrf({p, 1, 2}, {p, 2, 1}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
