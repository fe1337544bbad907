// Methods on networks that take noise away: what each does to the loss of the forgotten rows, the
// same bytes for the same seed, and which methods are refused.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support.h"
#include "tests/train/support.h"
#include "tests/unlearn/bench.h"
#include "vestige/models/checkpoint.h"
#include "vestige/train/denoising.h"
#include "vestige/train/training.h"
#include "vestige/unlearn/registry.h"
#include "vestige/unlearn/table.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::unlearn {
namespace {

using testing::error_of;
using testing::holds;
using testing::tiny_lab;

/// One trained U-Net for all tests.
class DenoiserBench {
 public:
  DenoiserBench()
      : lab_(tiny_lab({"model={name='unet',width=8,multipliers=[1,2]}", "data.idiosyncrasy=0",
                       "data.signal=3", "train={epochs=4,batch=32,optimizer='adam',rate=0.005}"})),
        workshop_(lab_) {
    original_ = train::training_jobs(lab_, {train::plan(*lab_).front()})
                    .front()
                    .make({})
                    .front()
                    .files.at("model.safetensors");
  }

  static DenoiserBench& shared() {
    static DenoiserBench bench;
    return bench;
  }

  models::NetworkPointer original() {
    models::NetworkPointer network = workshop_.network(lab_->recipe.model);
    models::load(*network, 0, original_, "original");
    return network;
  }

  /// The original after the method.
  models::NetworkPointer after(const std::string& method, const Json& options) {
    models::NetworkPointer network = original();
    train::Watch watch;
    Problem problem{.network = *network,
                    .samples = workshop_.samples(),
                    .retain = lab_->split.part("retain"),
                    .forget = lab_->split.part("forget"),
                    .validation = {},
                    .seed = 7,
                    .original_seed = 1,
                    .training = lab_->recipe.train,
                    .forget_options = Json::object(),
                    .make_network = [&] { return workshop_.network(lab_->recipe.model); },
                    .original_file = {},
                    .watch = watch};
    Options given(options, "test");
    find_method(method).prepare(given)(problem);
    given.finish();
    return network;
  }

  double loss(models::Network& network, const char* part) {
    const std::vector<double> losses = train::denoising_losses(
        *models::as_denoiser(network), workshop_.samples(), lab_->split.part(part));
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  }

 private:
  std::shared_ptr<const train::Lab> lab_;
  train::Workshop workshop_;
  std::string original_;
};

TEST(DenoiserMethods, IdentityChangesNothing) {
  DenoiserBench& bench = DenoiserBench::shared();
  EXPECT_TRUE(testing::changed(*bench.after("identity", {}), *bench.original()).empty());
}

TEST(DenoiserMethods, AscentRaisesTheLossOfForgottenRows) {
  DenoiserBench& bench = DenoiserBench::shared();
  const auto network =
      bench.after("gradient_ascent",
                  {{"optimizer", "adam"}, {"rate", 1e-3}, {"weight_decay", 0}, {"epochs", 4}});
  EXPECT_GT(bench.loss(*network, "forget"), bench.loss(*bench.original(), "forget"));
}

TEST(DenoiserMethods, FinetuningLowersTheLossOfRetainedRows) {
  DenoiserBench& bench = DenoiserBench::shared();
  const auto network = bench.after(
      "finetune", {{"optimizer", "adam"}, {"rate", 1e-3}, {"weight_decay", 0}, {"epochs", 3}});
  EXPECT_LT(bench.loss(*network, "retain"), bench.loss(*bench.original(), "retain"));
}

TEST(DenoiserMethods, RetrainingIsTrainingOnTheRetainedRows) {
  DenoiserBench& bench = DenoiserBench::shared();
  const auto network = bench.after("retrain", {});
  EXPECT_FALSE(testing::changed(*network, *bench.original()).empty());
  // Untrained, the loss is 1 (denoising_test.cpp).
  EXPECT_LT(bench.loss(*network, "retain"), 0.9);
}

// Without repair the network learns to answer with noise of its own deviation: the answer to
// forgotten rows is further from them than before.
TEST(DenoiserMethods, RandomTargetsSpoilForgottenRowsAndRepairBringsRetainedBack) {
  DenoiserBench& bench = DenoiserBench::shared();
  const Json erase = {{"epochs", 4}, {"rate", 1e-3}, {"repair_epochs", 0}};
  const double before = bench.loss(*bench.original(), "forget");
  const auto erased = bench.after("random_targets", erase);
  EXPECT_GT(bench.loss(*erased, "forget"), before);
  Json with_repair = erase;
  with_repair["repair_epochs"] = 2;
  const auto repaired = bench.after("random_targets", with_repair);
  EXPECT_LT(bench.loss(*repaired, "retain"), bench.loss(*erased, "retain"));
}

TEST(DenoiserMethods, RepeatThemselves) {
  DenoiserBench& bench = DenoiserBench::shared();
  for (const char* method : {"gradient_ascent", "random_targets"}) {
    const Json options = {{"epochs", 1}};
    const auto first = bench.after(method, options), second = bench.after(method, options);
    EXPECT_TRUE(testing::changed(*first, *second).empty()) << method;
    EXPECT_FALSE(testing::changed(*first, *bench.original()).empty()) << method;
  }
}

TEST(DenoiserMethods, ThoseOfClassifiersAreRefusedBeforeAnyWork) {
  const auto lab = tiny_lab({"model={name='unet',width=8,multipliers=[1,2]}"});
  const auto refused = [](const std::shared_ptr<const train::Lab>& given, const char* method) {
    return error_of(
        [&] { plan_unlearning(*given, train::plan(*given), {read_choice(Json(method), "test")}); });
  };
  EXPECT_TRUE(holds(refused(lab, "scrub"), {"scrub works on classifiers", "unet", "finetune"}));
  EXPECT_TRUE(holds(refused(tiny_lab(), "random_targets"),
                    {"random_targets", "small_cnn is a classifier", "random_label"}));
  EXPECT_NO_THROW(
      plan_unlearning(*lab, train::plan(*lab), {read_choice(Json("random_targets"), "test")}));
}

}  // namespace
}  // namespace vestige::unlearn
