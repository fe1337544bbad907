// Features of part of a split are those of the whole split.
#include "vestige/metrics/inputs/attack_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

TEST(AttackInputs, FeaturesOfABlockAreThoseOfTheSplit) {
  constexpr std::size_t kRows = 700, kClasses = 4;
  Stream stream(1, "attack_inputs_test");
  std::vector<double> values(kRows * kClasses);
  for (double& value : values) value = 3 * stream.normal();
  evidence::Evidence evidence;
  for (std::size_t row = 0; row < kRows; ++row) {
    evidence.labels["forget"].push_back(static_cast<std::int64_t>(row % kClasses));
  }
  evidence::Model model;
  model.outputs["forget"] = evidence::Array::from_doubles(values, {kRows, kClasses});
  model.saliency["forget"] = model.outputs["forget"];
  for (const AttackFeatures features :
       {AttackFeatures::softmax, AttackFeatures::sorted_softmax, AttackFeatures::logits,
        AttackFeatures::true_class, AttackFeatures::saliency}) {
    const Matrix whole = split_features(evidence, model, "forget", features);
    ASSERT_EQ(whole.rows(), kRows);
    const Matrix block = split_features(evidence, model, "forget", features, 130, 650);
    ASSERT_EQ(block.rows(), 520U);
    for (std::size_t row = 0; row < block.rows(); ++row) {
      EXPECT_TRUE(std::ranges::equal(block.row(row), whole.row(130 + row)));
    }
  }
}

}  // namespace
}  // namespace vestige::metrics
