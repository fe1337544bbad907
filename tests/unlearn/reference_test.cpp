// The methods' reference cases through their plain-array form.
#include "vestige/unlearn/reference.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::unlearn {
namespace {

ReferenceInput input_of(const audit::ConformanceCase& test_case) {
  ReferenceInput input;
  for (const auto& [name, array] : test_case.inputs) {
    input.arrays[name] = {array.doubles(), {array.shape().begin(), array.shape().end()}};
  }
  for (const auto& [name, value] : test_case.params.items()) {
    input.parameters[name] = value.get<double>();
  }
  return input;
}

TEST(Reference, EveryCasePasses) {
  const std::vector<audit::ConformanceRunner> runners = {
      {"ssd_dampen",
       [](const audit::ConformanceCase& item) { return reference_ssd_dampen(input_of(item)); },
       {}},
      {"sfron_mask",
       [](const audit::ConformanceCase& item) { return reference_sfron_mask(input_of(item)); },
       {}},
      {"sfron_adaptive_loss",
       [](const audit::ConformanceCase& item) {
         return reference_sfron_adaptive_loss(input_of(item));
       },
       {}}};
  std::size_t cases = 0;
  for (const audit::ConformanceRunner& runner : runners) {
    const auto folder =
        std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference" / std::string(runner.metric);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const audit::ConformanceOutcome outcome =
          audit::run_case(audit::read_case(entry.path() / "case.json"), runners);
      EXPECT_EQ(outcome.verdict, audit::ConformanceOutcome::Verdict::passed)
          << outcome.metric << "/" << outcome.name << ": " << outcome.detail;
      ++cases;
    }
  }
  EXPECT_EQ(cases, 7u);
}

TEST(Reference, MissingInputIsNamed) {
  EXPECT_THROW(reference_sfron_mask({}), std::invalid_argument);
}

}  // namespace
}  // namespace vestige::unlearn
