// KLoM against numpy, by hand, and its controls on the pool that ships with the project.
#include "vestige/metrics/klom/klom.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/peer_values.h"
#include "vestige/audit/audit.h"
#include "vestige/base/error.h"
#include "vestige/evidence/reader.h"

namespace vestige::metrics {
namespace {

TEST(Klom, NumpyHistogramAndDigitize) {
  const PeerValues values("klom");
  const Matrix unlearned = values.matrix("unlearned"), retrained = values.matrix("retrained");
  values.check("exact", klom(unlearned, retrained));
  values.check("reference", klom(unlearned, retrained, {.mode = KlomMode::reference}));
}

// Two bins over [0, 2]. p: 3/4 and 1/4, q: 1/2 and 1/2. KL = 3/4 ln(3/2) + 1/4 ln(1/2).
TEST(Klom, ByHand) {
  const std::vector<double> p = {0, 0.5, 0.9, 2}, q = {0, 0.1, 1, 1.5};
  EXPECT_NEAR(binned_divergence(p, q, {.bins = 2}), 0.75 * std::log(1.5) + 0.25 * std::log(0.5),
              1e-15);
  // The published code leaves 2 out: p is all in the first bin, KL = ln 2.
  EXPECT_NEAR(binned_divergence(p, q, {.bins = 2, .mode = KlomMode::reference}), std::log(2.0),
              1e-15);
  // Disjoint samples: the floor of 1e-5 bounds the divergence at ln 1e5.
  EXPECT_NEAR(binned_divergence(std::vector<double>{0, 0}, std::vector<double>{9, 9}),
              std::log(1e5), 1e-12);
}

TEST(Klom, EqualConstantAndWrongInputs) {
  const std::vector<double> same = {3, 3, 3};
  EXPECT_EQ(binned_divergence(same, same), 0);
  EXPECT_TRUE(std::isnan(binned_divergence(same, {})));
  EXPECT_TRUE(std::isnan(binned_divergence(same, std::vector<double>{kUndefined})));
  EXPECT_THROW(binned_divergence(same, same, {.bins = 0}), InputError);
  EXPECT_THROW(klom(Matrix(2, 3), Matrix(2, 4)), InputError);
  EXPECT_THROW(klom(Matrix(0, 3), Matrix(2, 3)), InputError);
}

// Retrained against retrained at half the models is the retrained control: not 0, because
// histograms of 20 models are mostly empty bins, but the original's interval over rows lies above
// it.
TEST(KlomFamily, FloorAndCeilingOnShippedPool) {
  const auto evidence = evidence::load(VESTIGE_SOURCE_DIR "/demo/fashion-pool").evidence;
  const audit::AuditResult result = audit::audit(evidence, {.metrics = {"klom"}});
  Row retrained, original;
  for (const Row& row : result.rows) {
    if (row.metric != "klom.forget" || row.settings.at("models") != 20) continue;
    if (row.control == Control::retrained) retrained = row;
    if (row.control == Control::original) original = row;
  }
  EXPECT_GT(retrained.value, 0);
  EXPECT_GT(original.lower, retrained.upper);
}

}  // namespace
}  // namespace vestige::metrics
