// U-LiRA against numpy and scipy, and what must come out for equal and for separated pools.
#include "vestige/metrics/ulira/ulira.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/metrics/support/peer_values.h"
#include "tests/metrics/ulira/ulira_oracle.h"
#include "vestige/audit/audit.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Matrix normal_pool(std::size_t models, std::size_t rows, double shift, const char* purpose) {
  Stream stream(3, purpose);
  Matrix pool(models, rows);
  for (double& value : pool.values()) value = stream.normal() + shift;
  return pool;
}

TEST(Ulira, NumpyAndScipy) {
  const PeerValues values("ulira");
  const Ulira seen = ulira(values.matrix("unlearned"), values.matrix("retrained"));
  EXPECT_TRUE(seen.one_deviation);
  values.check("accuracy", seen.accuracy);
  values.check("auc", seen.auc);
}

// Two normal distributions one deviation apart are told apart with accuracy Phi(1/2) = 0.6915 and
// AUC Phi(1 / sqrt 2) = 0.7602; equal ones with 1/2 each. Standard errors are below 0.005.
TEST(Ulira, NormalPools) {
  const Matrix retrained = normal_pool(200, 300, 0, "ulira_test.retrained");
  const Ulira apart = ulira(normal_pool(200, 300, 1, "ulira_test.apart"), retrained);
  EXPECT_FALSE(apart.one_deviation);
  EXPECT_NEAR(mean(apart.accuracy), 0.6915, 0.01);
  EXPECT_NEAR(mean(apart.auc), 0.7602, 0.01);
  const Ulira equal = ulira(normal_pool(200, 300, 0, "ulira_test.equal"), retrained);
  EXPECT_NEAR(mean(equal.accuracy), 0.5, 0.01);
  EXPECT_NEAR(mean(equal.auc), 0.5, 0.01);
}

// 65 models per group and half are enough for a deviation per row.
TEST(Ulira, AgreesWithItsPlainTwin) {
  const Matrix unlearned = normal_pool(131, 6, 0.5, "ulira_test.plain");
  const Matrix retrained = normal_pool(130, 6, 0, "ulira_test.plain_retrained");
  const Ulira seen = ulira(unlearned, retrained), plain = plain_ulira(unlearned, retrained);
  EXPECT_FALSE(seen.one_deviation);
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_NEAR(seen.accuracy[row], plain.accuracy[row], 1e-12) << row;
    EXPECT_NEAR(seen.auc[row], plain.auc[row], 1e-12) << row;
  }
}

TEST(Ulira, WrongInputs) {
  Matrix infinite(4, 1), finite(4, 1);
  infinite(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(ulira(infinite, finite).accuracy[0])) << "no likelihood ratio";
  EXPECT_THROW(ulira(Matrix(3, 2), Matrix(8, 2)), InputError);
  EXPECT_THROW(ulira(Matrix(8, 2), Matrix(8, 3)), InputError);
}

TEST(UliraFamily, FloorAndCeilingOnShippedPool) {
  const auto evidence = evidence::load(VESTIGE_SOURCE_DIR "/demo/fashion-pool").evidence;
  const audit::AuditResult result = audit::audit(evidence, {.metrics = {"ulira"}});
  double retrained = kUndefined, original = kUndefined;
  for (const Row& row : result.rows) {
    if (row.metric != "ulira.accuracy") continue;
    if (row.control == Control::retrained) retrained = row.value;
    if (row.control == Control::original) original = row.value;
  }
  EXPECT_NEAR(retrained, 0.5, 0.03);
  EXPECT_GT(original, 0.6);
}

}  // namespace
}  // namespace vestige::metrics
