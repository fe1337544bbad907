// F1 over bandwidths, and sets of one batch against sets across batches.
#include "vestige/metrics/sde/sde_extras.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/metrics/sde/known_activations.h"
#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

using namespace known_activations;

// Twenty values from 1 to the median distance, which is above sqrt(8) for these rows.
TEST(SdeFamily, Bandwidths) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements found =
      sde_of(evidence, evidence.groups[1].models[0], quick({{"sde.bandwidths", 20}}));
  std::vector<double> sigma;
  for (const Row& row : found.rows) {
    if (row.settings["rule"] != "sweep") continue;
    EXPECT_EQ(row.metric, "sde.f1.retrained");
    EXPECT_EQ(row.settings["bandwidth"], sigma.size() + 1);
    sigma.push_back(row.facts["sigma"].get<double>());
  }
  ASSERT_EQ(sigma.size(), 20U);
  EXPECT_EQ(sigma.front(), 1);
  EXPECT_NEAR(sigma.back(), 4, 0.4);  // sqrt(2 d) for unit normals
  EXPECT_NEAR(sigma[1] - sigma[0], sigma[19] - sigma[18], 1e-12);
}

// The paper's Figure 6: from 1 to the dimension, which is 8 here; equal ratios.
TEST(SdeFamily, BandwidthsToTheDimension) {
  const evidence::Evidence evidence = known_evidence();
  const Measurements found =
      sde_of(evidence, evidence.groups[1].models[0],
             quick({{"sde.bandwidths", 4}, {"sde.bandwidths_to", "dimension"}}));
  std::vector<double> sigma;
  for (const Row& row : found.rows) {
    if (row.settings["rule"] == "sweep") sigma.push_back(row.facts["sigma"].get<double>());
  }
  ASSERT_EQ(sigma.size(), 4U);
  const double expected[] = {1, 2, 4, 8};
  for (std::size_t index = 0; index < 4; ++index) EXPECT_NEAR(sigma[index], expected[index], 1e-9);
}

/// 25 batches of 16 rows; each batch is spread by its own factor, drawn so that a set across
/// batches is a mixture of them, or all alike.
evidence::Evidence batched_evidence(double spread) {
  evidence::Evidence evidence = known_evidence();
  evidence::Model& model = evidence.groups[0].models[0];
  Stream stream(53, "test.sde_batches");
  std::vector<double> values;
  std::vector<std::int64_t> batches;
  for (std::int64_t row = 0; row < 400; ++row) {
    batches.push_back(row % 25);
    for (std::size_t i = 0; i < kColumns; ++i) {
      // The centre of a batch moves all its rows alike: within it they lie closer together.
      const double centre =
          spread * std::sin(static_cast<double>(row % 25) * 7 + 3 * static_cast<double>(i));
      values.push_back(centre + stream.normal());
    }
  }
  model.activations["penultimate"]["retain"] =
      evidence::Array::from_doubles(std::move(values), {400, kColumns});
  model.batches["retain"] = evidence::Array::from_integers(batches, {400});
  model.batches["forget"] =
      evidence::Array::from_integers(std::vector<std::int64_t>(300, -1), {300});
  return evidence;
}

// Rows of one batch lie closer together than rows of all batches, so that their kernel dispersion,
// and with it H, is smaller: every set across batches passes over them.
TEST(SdeFamily, BatchesThatDifferAreSeen) {
  const evidence::Evidence evidence = batched_evidence(2);
  const Measurements found = sde_of(evidence, evidence.groups[0].models[0], quick());
  EXPECT_LT(find(found, "sde.batch.same").value, find(found, "sde.batch.cross").value);
  EXPECT_LT(find(found, "sde.batch.gap").value, 0);
  EXPECT_GT(find(found, "sde.batch.p").value, 0.99);
  EXPECT_EQ(find(found, "sde.batch.same").facts["size"], 16);
  EXPECT_EQ(find(found, "sde.batch.same").n, 25U);
}

// Batches that mean nothing: the test over sets does not see them, while about as many pairs pass
// the test over shuffles as among sets across batches.
TEST(SdeFamily, BatchesThatMeanNothing) {
  const evidence::Evidence evidence = batched_evidence(0);
  const Measurements found = sde_of(evidence, evidence.groups[0].models[0], quick());
  const Row& p = find(found, "sde.batch.p");
  EXPECT_GT(p.value, 0.01);
  EXPECT_LT(p.value, 0.99);
  const Row& passed = find(found, "sde.batch.passed");
  EXPECT_GT(passed.upper, passed.facts["of_cross_pairs"].get<double>());
  EXPECT_LT(passed.lower, passed.facts["of_cross_pairs"].get<double>());
  const evidence::Evidence drawn = known_evidence();
  for (const Row& row : sde_of(drawn, drawn.groups[0].models[0], quick()).rows) {
    EXPECT_FALSE(row.metric.starts_with("sde.batch.")) << row.metric;
  }
}

}  // namespace
}  // namespace vestige::metrics
