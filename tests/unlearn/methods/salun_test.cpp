// SalUn: the mask against its reference cases, and what the masked phases change.
#include "vestige/unlearn/methods/salun.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unlearn/bench.h"
#include "vestige/audit/conformance/conformance.h"
#include "vestige/base/error.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

torch::Tensor tensor_of(const audit::ConformanceCase& test_case, const std::string& input) {
  return torch::tensor(test_case.numbers(input), torch::kFloat64);
}

// Reference: the formula of the published mask generation (source in each case.json).
TEST(SalUn, MaskMeetsItsReferenceCases) {
  const std::filesystem::path folder =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/salun_mask";
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const audit::ConformanceCase test_case = audit::read_case(entry.path() / "case.json");
    std::vector<torch::Tensor> gradients;
    for (int index = 0; test_case.has("grad" + std::to_string(index)); ++index) {
      gradients.push_back(tensor_of(test_case, "grad" + std::to_string(index)));
    }
    std::vector<torch::Tensor> masks =
        unlearn::saliency_mask(gradients, test_case.parameter("fraction", 0));
    for (torch::Tensor& mask : masks) mask = mask.reshape({-1});
    const torch::Tensor flat = torch::cat(masks);
    const std::vector<double> expected = test_case.expected.at("mask_flat").doubles();
    ASSERT_EQ(static_cast<std::size_t>(flat.numel()), expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index) {
      EXPECT_EQ(flat[static_cast<std::int64_t>(index)].item<bool>(), expected[index] == 1)
          << test_case.name << " " << index;
    }
    ++cases;
  }
  EXPECT_EQ(cases, 3);
}

// By hand: |3| > |-2| = |2| > 1; two of four are 3 and, of the tie, the first. Shapes are kept.
TEST(SalUn, MaskRanksAllTensorsTogetherAndBreaksTiesInOrder) {
  const std::vector<torch::Tensor> masks = unlearn::saliency_mask(
      {torch::tensor({1.0, -2.0}).view({1, 2}), torch::tensor({2.0, 3.0})}, 0.5);
  ASSERT_EQ(masks.size(), 2U);
  EXPECT_TRUE(torch::equal(masks[0], torch::tensor({false, true}).view({1, 2})));
  EXPECT_TRUE(torch::equal(masks[1], torch::tensor({false, true})));
  EXPECT_FALSE(unlearn::saliency_mask({torch::ones({3})}, 0)[0].any().item<bool>());
  EXPECT_TRUE(unlearn::saliency_mask({torch::ones({3})}, 1)[0].all().item<bool>());
  EXPECT_THROW(unlearn::saliency_mask({torch::ones({3})}, 1.5), InputError);
  EXPECT_THROW(unlearn::saliency_mask({}, 0.5), InputError);
}

// Sums over rows do not depend on how the rows are cut into batches.
TEST(SalUn, GradientsAreSumsOverRows) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const auto whole =
      unlearn::ascent_gradients(problem.network, bench.samples(), bench.forget(), 80);
  const auto parts = unlearn::ascent_gradients(problem.network, bench.samples(), bench.forget(), 7);
  for (std::size_t index = 0; index < whole.size(); ++index) {
    EXPECT_TRUE(torch::allclose(whole[index], parts[index], 1e-3, 1e-4)) << index;
  }
}

TEST(SalUn, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run(
      "salun",
      {{"rate", 0.03}, {"batch", 16}, {"epochs", 8}, {"repair_epochs", 2}, {"repair_rate", 0.01}},
      problem);
  EXPECT_EQ(outcome.cost.samples, 80 + 8 * 80 + 2 * 720);  // mask, erase, repair
  EXPECT_GT(bench.progress(problem.network), 0.1);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

// Weights outside of the mask keep their bits, in spite of momentum and weight decay.
TEST(SalUn, ChangesTheMaskedWeightsOnly) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const auto masks = unlearn::saliency_mask(
      unlearn::ascent_gradients(problem.network, bench.samples(), bench.forget(), 32), 0.3);
  bench.run("salun", {{"rate", 0.02}, {"batch", 32}, {"fraction", 0.3}, {"weight_decay", 0.1}},
            problem);
  const auto before = bench.original().parameters();
  const auto after = problem.network.parameters();
  std::int64_t moved = 0;
  for (std::size_t index = 0; index < before.size(); ++index) {
    const torch::Tensor differs = before[index].ne(after[index]);
    EXPECT_FALSE(differs.logical_and(masks[index].logical_not()).any().item<bool>()) << index;
    moved += differs.sum().item<std::int64_t>();
  }
  EXPECT_GT(moved, 0);
}

}  // namespace
}  // namespace vestige
