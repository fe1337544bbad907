// Sizes in tf32 and bf16 on machines without a CUDA device: what they are refused with, and that
// doing what the sentence says works.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/experiment/estimates/estimate.h"
#include "vestige/experiment/estimates/measured_rates.h"
#include "vestige/train/engine.h"

namespace vestige::experiment {
namespace {

using vestige::testing::error_of;
using vestige::testing::holds;

constexpr const char* kHint = "--set train.precision=float32";

/// A network whose rate was never measured, in bf16.
Json reduced_recipe() {
  Json recipe = testing::tiny_recipe();
  recipe["model"] = {{"name", "allcnn"}};
  recipe["train"]["precision"] = "bf16";
  return recipe;
}

/// `bench --dry-run` with --device and --set.
void dry_run(const std::string& device, const std::vector<std::string>& set) {
  const testing::TemporaryFolder folder;
  ConductorSettings settings = testing::quiet_settings(folder, reduced_recipe());
  settings.device = device;
  settings.request.settings = set;
  Conductor conductor(std::move(settings), testing::alone());
  Probes probes;
  ::testing::internal::CaptureStdout();
  try {
    conductor.dry_run(probes);
  } catch (...) {
    (void)::testing::internal::GetCapturedStdout();
    throw;
  }
  EXPECT_TRUE(holds(::testing::internal::GetCapturedStdout(), {"about", "training"}));
}

TEST(ReducedPrecision, OnAProcessorIsRefusedWithTheOneThingThatHelps) {
  const std::string text = error_of([] { dry_run("cpu", {}); });
  EXPECT_TRUE(holds(text, {"bf16", "needs a CUDA device", kHint}));
  // --device cuda is advice only where there is one.
  EXPECT_EQ(text.find("--device cuda") != std::string::npos, train::has_device("cuda"));
  EXPECT_NO_THROW(dry_run("cpu", {"train.precision=float32"}));
}

TEST(ReducedPrecision, OnADeviceThatIsNotThereLeadsToTheSamePlan) {
  if (train::has_device("cuda")) GTEST_SKIP() << "there is a CUDA device";
  EXPECT_TRUE(holds(error_of([] { dry_run("cuda", {}); }),
                    {"no CUDA device", "allcnn", "--device cpu", kHint}));
  // In float32 the processor's plan needs nothing else.
  const std::string plain = error_of([] { dry_run("cuda", {"train.precision=float32"}); });
  EXPECT_TRUE(holds(plain, {"--device cpu"}));
  EXPECT_EQ(plain.find(kHint), std::string::npos);
}

// docs/lab/gpu.md, "GPT and U-Net beside plain programs": the U-Net of recipes/diffusion.toml at
// gpu size.
TEST(MeasuredRates, KnowTheUNetOfTheRecipe) {
  const Json unet = {
      {"name", "unet"}, {"width", 32}, {"multipliers", {1, 2, 4}}, {"depth", 2}, {"resize", 32}};
  EXPECT_EQ(measured_rate(unet, {1, 28, 28}, "bf16", 1), 8734);
  EXPECT_EQ(measured_rate(unet, {1, 28, 28}, "float32", 1), 5405);
  for (const Json& other :
       {Json{{"width", 64}}, Json{{"depth", 1}}, Json{{"multipliers", {1, 2}}}}) {
    Json changed = unet;
    changed.update(other);
    EXPECT_TRUE(std::isnan(measured_rate(changed, {1, 28, 28}, "bf16", 1))) << other;
  }
}

}  // namespace
}  // namespace vestige::experiment
