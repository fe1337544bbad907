// Error rates where forget examples are unlike unseen ones, in few draws; make error-rates has all
// regimes and more draws (docs/validation/error-rates.md).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/audit/known_models.h"
#include "tests/audit/known_rates.h"

namespace vestige::audit {
namespace {

constexpr int kRegimeDraws = 40;
/// A test that errs in 5 % of draws errs in 5 or fewer of 40 with probability 0.986 (binomial).
constexpr double kFivePerCent = 5.0 / kRegimeDraws + 1e-9;

class RegimeRates : public ::testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(RegimeRates, FreshlyRetrainedModelsRaiseNoFalseAlarm) {
  const auto& [file, models] = GetParam();
  const Rates seen = rates_of(KnownModels(file), models, kRegimeDraws);
  EXPECT_LE(seen.false_alarms, kFivePerCent);
  EXPECT_LE(seen.fresh_lost, kFivePerCent);
  EXPECT_LE(seen.half_wrongly_cleared, kFivePerCent);
  EXPECT_GE(seen.half_detected, 0.90);
  EXPECT_GE(seen.original_detected, 0.95);
}

INSTANTIATE_TEST_SUITE_P(
    Hard, RegimeRates,
    ::testing::Values(std::pair("known_hardest.npz", 1), std::pair("known_hardest.npz", 2),
                      std::pair("known_hardest_norm.npz", 2),
                      std::pair("known_hardest_early.npz", 1),
                      std::pair("known_hardest_early.npz", 2), std::pair("known_subgroup.npz", 1),
                      std::pair("known_subgroup_early.npz", 1),
                      std::pair("known_subgroup_early.npz", 2), std::pair("known_noise.npz", 1),
                      std::pair("known_few_hardest.npz", 1)));

}  // namespace
}  // namespace vestige::audit
