// The family zrf on synthetic evidence.
#include "vestige/metrics/zrf/zrf_family.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/metrics/support/confident_evidence.h"
#include "tests/metrics/support/measured.h"

namespace vestige::metrics {
namespace {

using namespace confident;

TEST(ZrfFamily, UntrainedTeacher) {
  Evidence evidence = telling_evidence();
  Progress progress(ProgressStyle::quiet, "zrf", 1);
  EXPECT_FALSE(zrf_family().support(evidence).supported);
  EXPECT_EQ(zrf_family().support(evidence).reason,
            reason(Code::needs_untrained_model, "random/0/forget.npy"));
  evidence.groups.push_back(make_group("random", "", {0, 0, 0}, 2));
  EXPECT_TRUE(zrf_family().support(evidence).supported);
  const Row original =
      find(measured(zrf_family(), compare(evidence, "original"), {.seed = 1}), "zrf.score");
  const Row retrained =
      find(measured(zrf_family(), compare(evidence, "retrained"), {.seed = 1}), "zrf.score");
  EXPECT_LT(original.upper, retrained.lower);
  EXPECT_EQ(original.facts["teachers"], 2);
  EXPECT_EQ(original.terms.size(), kForget);
  // A teacher is its own equal: divergence 0.
  evidence.groups.back().models.resize(1);
  const Row itself =
      find(measured(zrf_family(), compare(evidence, "random"), {.seed = 1}), "zrf.score");
  EXPECT_NEAR(itself.value, 1, 1e-12);
}

}  // namespace
}  // namespace vestige::metrics
