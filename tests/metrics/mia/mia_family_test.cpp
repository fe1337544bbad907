// The family mia on synthetic evidence: entropy and SVC attacks, and the tug of war.
#include "vestige/metrics/mia/mia_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/metrics/support/confident_evidence.h"
#include "tests/metrics/support/measured.h"

namespace vestige::metrics {
namespace {

using namespace confident;

TEST(MiaFamily, OriginalLooksLikeMembersRetrainedDoesNot) {
  const Evidence evidence = telling_evidence();
  Progress progress(ProgressStyle::quiet, "mia", 1);
  const Measurements original = measured(mia_family(), compare(evidence, "original"), {.seed = 1});
  const Measurements retrained =
      measured(mia_family(), compare(evidence, "retrained"), {.seed = 1});
  EXPECT_GT(find(original, "mia.entropy").value, 0.8);
  EXPECT_LT(find(retrained, "mia.entropy").value, 0.4);
  EXPECT_LT(find(original, "mia.svc.efficacy").value, 0.2);
  EXPECT_GT(find(retrained, "mia.svc.efficacy").value, 0.6);
  EXPECT_EQ(find(original, "mia.entropy").terms.size(), kForget);
}

// The formula of ToW-MIA on the family's own efficacies and accuracies by hand: every model is
// right on a row iff its first logit is the largest.
TEST(MiaFamily, TugOfWarMultipliesGaps) {
  const Evidence evidence = telling_evidence(2);
  const auto efficacy = [&](const char* role, std::size_t model) {
    Comparison one = compare(evidence, role);
    one.candidate = {one.candidate.at(model)};
    return find(measured(mia_family(), one, {.seed = 1}), "mia.svc.efficacy").value;
  };
  const auto accuracy = [&](const char* role, std::size_t model, const char* split) {
    const Array& outputs = evidence.find(role)->models[model].outputs.at(split);
    double right = 0;
    for (std::size_t row = 0; row < outputs.rows(); ++row) {
      std::vector<double> values(kClasses);
      outputs.read_row(row, values);
      right += values[0] >= values[1] && values[0] >= values[2] ? 1 : 0;
    }
    return right / static_cast<double>(outputs.rows());
  };
  double wanted = 1 - std::abs(efficacy("original", 0) -
                               (efficacy("retrained", 0) + efficacy("retrained", 1)) / 2);
  for (const char* split : {"retain", "test"}) {
    wanted *= 1 - std::abs(accuracy("original", 0, split) -
                           (accuracy("retrained", 0, split) + accuracy("retrained", 1, split)) / 2);
  }
  Comparison original = compare(evidence, "original");
  original.candidate.resize(1);
  const double seen = find(measured(mia_family(), original, {.seed = 1}), "mia.tug_of_war").value;
  EXPECT_NEAR(seen, wanted, 1e-12);
  EXPECT_LT(seen, 0.5);
  const Evidence single = telling_evidence();
  const Measurements retrained =
      measured(mia_family(), compare(single, "retrained", {}, Control::retrained), {.seed = 1});
  const Row& alone = find(retrained, "mia.tug_of_war");
  EXPECT_EQ(alone.status, Status::skipped);
}

TEST(MiaFamily, SupportNamesTheSplits) {
  Evidence evidence = telling_evidence();
  EXPECT_TRUE(mia_family().support(evidence).supported);
  for (Group& group : evidence.groups) group.models[0].outputs.erase("retain");
  EXPECT_FALSE(mia_family().support(evidence).supported);
}

}  // namespace
}  // namespace vestige::metrics
