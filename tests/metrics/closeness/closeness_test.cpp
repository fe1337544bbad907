// Closeness against numpy and scipy, by hand, and on the evidence that ships with the project.
#include "vestige/metrics/closeness/closeness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/peer_values.h"
#include "vestige/audit/audit.h"
#include "vestige/base/error.h"
#include "vestige/evidence/reader.h"

namespace vestige::metrics {
namespace {

TEST(Closeness, NumpyAndScipy) {
  const PeerValues values("closeness");
  const Closeness seen = closeness(values.matrix("p"), values.matrix("q"));
  values.check("agreement", seen.agreement);
  values.check("distance", seen.distance);
  values.check("divergence", seen.divergence);
}

// By hand: opposite certain answers are sqrt 2 and ln 2 apart; a tie counts for the lowest class.
TEST(Closeness, Extremes) {
  const double p[] = {1, 0, 0.5, 0.5}, q[] = {0, 1, 0.5, 0.5};
  const Closeness seen = closeness({p, 2, 2}, {q, 2, 2});
  EXPECT_EQ(seen.agreement, (std::vector<double>{0, 1}));
  EXPECT_DOUBLE_EQ(seen.distance[0], std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(seen.divergence[0], std::log(2.0));
  EXPECT_EQ(seen.distance[1], 0);
  EXPECT_EQ(seen.divergence[1], 0);
  EXPECT_THROW(closeness({p, 1, 2}, {q, 2, 2}), InputError);
}

/// Value of an id for a subject; NaN if there is no such row.
double value_of(const audit::AuditResult& result, std::string_view metric,
                std::string_view subject) {
  for (const Row& row : result.rows) {
    if (row.metric == metric && row.subject.id() == subject) return row.value;
  }
  return kUndefined;
}

// The original agrees least with retrained where it was trained and retrained was not; constant
// models are farther away than any. One retrained model cannot be compared with others.
TEST(ClosenessFamily, OnShippedEvidence) {
  const auto evidence = evidence::load(VESTIGE_SOURCE_DIR "/demo/fashion-one").evidence;
  const audit::AuditResult result = audit::audit(evidence, {.metrics = {"closeness"}});
  const double forget = value_of(result, "closeness.agreement.forget", "original/0");
  EXPECT_LT(forget, value_of(result, "closeness.agreement.retain", "original/0"));
  EXPECT_LT(value_of(result, "closeness.agreement.forget", "constant_predictor/0"), 0.5);
  EXPECT_GT(value_of(result, "closeness.divergence.forget", "constant_predictor/0"),
            value_of(result, "closeness.divergence.forget", "original/0"));
  EXPECT_TRUE(std::isnan(value_of(result, "closeness.agreement.forget", "retrained/0")));
}

}  // namespace
}  // namespace vestige::metrics
