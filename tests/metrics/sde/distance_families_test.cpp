// The families mmd and wasserstein on evidence whose answer is known by construction.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/metrics/sde/known_activations.h"
#include "vestige/base/error.h"
#include "vestige/metrics/sde/sde_family.h"

namespace vestige::metrics {
namespace {

using namespace known_activations;

TEST(DistanceFamilies, TellTrainedFromUntrained) {
  const evidence::Evidence evidence = known_evidence();
  for (const Family& family : {mmd_family(), wasserstein_family()}) {
    const auto row_of = [&](std::size_t group) {
      return measured(family, compare(evidence, evidence.groups[group].models[0]), quick())
          .rows.at(0);
    };
    const Row original = row_of(0), retrained = row_of(1);
    EXPECT_LT(original.value, 0.2) << original.metric;
    EXPECT_GT(retrained.value, 0.8) << retrained.metric;
    EXPECT_EQ(retrained.settings["layer"], "penultimate");
  }
}

// Shifted by two deviations in every column, sets are told apart without an error.
TEST(DistanceFamilies, F1) {
  evidence::Evidence evidence = known_evidence();
  auto& splits = evidence.groups[1].models[0].activations["penultimate"];
  std::vector<double> values;
  Stream stream(52, "test.sde_family");
  for (std::size_t i = 0; i < 400 * kColumns; ++i) values.push_back(2 + stream.normal());
  splits["retain"] = evidence::Array::from_doubles(std::move(values), {400, kColumns});
  for (const Family& family : {mmd_family(), wasserstein_family()}) {
    const Measurements found =
        measured(family, compare(evidence, evidence.groups[1].models[0]), quick());
    const std::string name(family.name);
    EXPECT_EQ(find(found, name + ".f1.control").value, 1) << name;
    EXPECT_EQ(find(found, name + ".f1.retrained").value, 1) << name;
    EXPECT_EQ(find(found, name + ".f1.control").facts["size"], 100) << name;
  }
}

}  // namespace
}  // namespace vestige::metrics
