// Verification models as references, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "vestige/evidence/layout.h"
#include "vestige/metrics/verification/verification_family.h"

namespace vestige::metrics {
namespace {

/// Two classes, label 0; the probability of class 0 is the same for all rows of a split but for
/// +-0.1 on every second row.
evidence::Model certain(const std::string& role, double forget, double test) {
  evidence::Model model;
  model.role = role;
  model.method = role == "unlearned" ? "method" : "";
  model.name = "0";
  const auto outputs = [](double p) {
    std::vector<double> values;
    for (int row = 0; row < 20; ++row) {
      const double one = p + (row % 2 == 0 ? 0.1 : -0.1);
      values.push_back(one);
      values.push_back(1 - one);
    }
    return evidence::Array::from_doubles(std::move(values), {20, 2});
  };
  model.outputs["forget"] = outputs(forget);
  model.outputs["test"] = outputs(test);
  return model;
}

// By hand: on forget rows the method is 0.8, the verification model 0.5, on test rows 0.7 and 0.6:
// paired 0.3, of which 0.1 is the method's being the better model everywhere, leaving 0.2.
TEST(Verification, GapBeyondUnseenRows) {
  evidence::Evidence evidence;
  evidence.kind = evidence::OutputKind::probabilities;
  evidence.classes = 2;
  for (const char* split : {"forget", "test"}) evidence.labels[split].assign(20, 0);
  evidence.groups.push_back({"unlearned", "method", {certain("unlearned", 0.8, 0.7)}});
  EXPECT_FALSE(verification_family().support(evidence).supported);
  evidence.groups.push_back({"verification", "", {certain("verification", 0.5, 0.6)}});
  EXPECT_TRUE(verification_family().support(evidence).supported);
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.candidate = {&evidence.groups[0].models[0]};
  const Measurements seen = measured(verification_family(), comparison);
  ASSERT_EQ(seen.rows.size(), 2U);
  EXPECT_NEAR(seen.rows[0].value, 0.2, 1e-12);
  EXPECT_NEAR(seen.rows[1].value, 0.3, 1e-12);
  EXPECT_EQ(seen.rows[1].facts.at("verification_models"), 1);
}

TEST(Verification, IsARoleOfEvidence) {
  const evidence::Place place = evidence::place_of("verification/3/forget");
  EXPECT_EQ(place.role, "verification");
  EXPECT_EQ(place.name, "3");
  EXPECT_TRUE(place.why.empty());
}

}  // namespace
}  // namespace vestige::metrics
