// SCRUB: the distillation loss against its reference cases, and the method.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/unlearn/bench.h"
#include "vestige/audit/conformance/conformance.h"
#include "vestige/base/error.h"
#include "vestige/unlearn/parts/distillation.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

torch::Tensor tensor_of(const audit::ConformanceCase& test_case, const std::string& input) {
  const Matrix matrix = test_case.matrix(input);
  return torch::tensor(test_case.numbers(input), torch::kFloat64)
      .view({static_cast<std::int64_t>(matrix.rows()), static_cast<std::int64_t>(matrix.cols())});
}

// Reference: DistillKL of the published code (source in each case.json).
TEST(Scrub, DistillationMeetsItsReferenceCases) {
  const std::filesystem::path folder =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/scrub_kd";
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const audit::ConformanceCase test_case = audit::read_case(entry.path() / "case.json");
    const double loss =
        unlearn::distillation(tensor_of(test_case, "student"), tensor_of(test_case, "teacher"),
                              test_case.parameter("T", 0))
            .item<double>();
    const double expected = test_case.expected.at("loss").doubles().at(0);
    EXPECT_NEAR(loss, expected, test_case.absolute + test_case.relative * std::abs(expected));
    ++cases;
  }
  EXPECT_EQ(cases, 2);
}

// By hand: teacher (1/2, 1/2), student (3/4, 1/4): 1/2 ln(2/3) + 1/2 ln 2 = 1/2 ln(4/3). A second
// copy whose student equals its teacher has none.
TEST(Scrub, DistillationPerCopy) {
  const double three = std::log(3.0);
  const torch::Tensor teacher = torch::zeros({2, 1, 2}, torch::kFloat64);
  const torch::Tensor student =
      torch::tensor({three, 0.0, 0.0, 0.0}, torch::kFloat64).view({2, 1, 2});
  const torch::Tensor loss = unlearn::distillation(student, teacher, 1);
  EXPECT_NEAR(loss[0].item<double>(), 0.5 * std::log(4.0 / 3.0), 1e-15);
  EXPECT_NEAR(loss[1].item<double>(), 0, 1e-15);
}

TEST(Scrub, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("scrub",
                                             {{"optimizer", "adam"},
                                              {"rate", 0.003},
                                              {"batch", 32},
                                              {"forget_batch", 8},
                                              {"epochs", 5},
                                              {"max_steps", 4}},
                                             problem);
  EXPECT_EQ(outcome.cost.steps, 4 * 10 + 5 * 23);
  EXPECT_EQ(outcome.cost.samples, 4 * 80 + 5 * 720);
  EXPECT_GT(bench.progress(problem.network), 0.08);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.95);
}

// At the start the student is the teacher: the divergence is at its minimum, 0, where its gradient
// vanishes, so that a single max step over all rows changes next to nothing.
TEST(Scrub, TheFirstMaxStepHasNoGradient) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  bench.run("scrub",
            {{"rate", 0.01}, {"weight_decay", 0}, {"forget_batch", 80}, {"gamma", 0}, {"alpha", 0}},
            problem);
  const auto before = bench.original().parameters();
  const auto after = problem.network.parameters();
  for (std::size_t index = 0; index < before.size(); ++index) {
    EXPECT_TRUE(torch::allclose(before[index], after[index], 0, 1e-6)) << index;
  }
}

TEST(Scrub, RejectsAZeroTemperature) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  EXPECT_THROW(bench.run("scrub", {{"temperature", 0}}, problem), InputError);
}

}  // namespace
}  // namespace vestige
