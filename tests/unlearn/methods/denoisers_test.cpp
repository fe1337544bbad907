// Methods on networks that take noise away: what each does to the losses of rows beside the
// original (that is, beside a method that does nothing), the same bytes for the same seed, and
// which methods are refused. Losses are compared row by row with the same noise; "clearly" is a
// mean difference of more than kClear standard errors: Student's t with 39 degrees of freedom (40
// forgotten rows) passes it once in 7,000 times.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support.h"
#include "tests/train/support.h"
#include "tests/unlearn/bench.h"
#include "vestige/models/weights/checkpoint.h"
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

constexpr double kClear = 4;

/// Mean over its standard error of the differences after - before of the same rows; 0 if nothing
/// changed.
double paired_z(const std::vector<double>& after, const std::vector<double>& before) {
  const auto count = static_cast<double>(after.size());
  double sum = 0, squares = 0;
  for (std::size_t row = 0; row < after.size(); ++row) sum += after[row] - before[row];
  for (std::size_t row = 0; row < after.size(); ++row) {
    squares += std::pow(after[row] - before[row] - sum / count, 2);
  }
  return squares > 0 ? sum / count / std::sqrt(squares / (count - 1) / count) : 0;
}

double mean_loss(const std::vector<double>& losses) {
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

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

  /// The original after the method; or another network after it.
  models::NetworkPointer after(const std::string& method, const Json& options,
                               models::NetworkPointer network = nullptr) {
    if (!network) network = original();
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

  std::vector<double> losses(models::Network& network, const char* part) {
    return train::denoising_losses(*models::as_denoiser(network), workshop_.samples(),
                                   lab_->split.part(part));
  }

  /// Losses of forgotten rows if the noise pictures of random_targets were the truth: normal pixels
  /// of deviation 0.5 from the stream (seed 7, row), as docs/methods/random_targets.md has it.
  std::vector<double> losses_to_noise_pictures(models::Network& network) {
    const torch::NoGradGuard no_gradient;
    network.eval();
    models::Denoiser& denoiser = *models::as_denoiser(network);
    const train::Rows& rows = lab_->split.part("forget");
    const torch::Tensor images = denoiser.clean(workshop_.samples().batch(rows).inputs);
    torch::Tensor pictures = torch::empty_like(images), noise = torch::empty_like(images);
    for (std::size_t place = 0; place < rows.size(); ++place) {
      Stream picture(7, "random target", static_cast<std::uint64_t>(rows[place]));
      Stream drawn(8, "test noise", place);
      const auto row = static_cast<std::int64_t>(place);
      float* const target = pictures[0][row].data_ptr<float>();
      float* const value = noise[0][row].data_ptr<float>();
      for (std::int64_t pixel = 0; pixel < images[0][row].numel(); ++pixel) {
        target[pixel] = static_cast<float>(0.5 * picture.normal());
        value[pixel] = static_cast<float>(drawn.normal());
      }
    }
    const torch::Tensor sigma = torch::full({1, images.size(1)}, 0.3F);
    const torch::Tensor errors =
        train::denoising_errors(denoiser, images, pictures, {sigma, noise})[0].to(torch::kFloat64);
    return {errors.data_ptr<double>(), errors.data_ptr<double>() + errors.numel()};
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
  EXPECT_GT(paired_z(bench.losses(*network, "forget"), bench.losses(*bench.original(), "forget")),
            kClear);
}

TEST(DenoiserMethods, FinetuningLowersTheLossOfRetainedRows) {
  DenoiserBench& bench = DenoiserBench::shared();
  const auto network = bench.after(
      "finetune", {{"optimizer", "adam"}, {"rate", 1e-3}, {"weight_decay", 0}, {"epochs", 3}});
  EXPECT_LT(paired_z(bench.losses(*network, "retain"), bench.losses(*bench.original(), "retain")),
            -kClear);
}

// Retraining starts anew: whatever the weights were, the same bytes come out, and they are trained
// (untrained, the loss is 1: denoising_test.cpp).
TEST(DenoiserMethods, RetrainingForgetsTheWeightsItWasGiven) {
  DenoiserBench& bench = DenoiserBench::shared();
  const auto network = bench.after("retrain", {});
  EXPECT_FALSE(testing::changed(*network, *bench.original()).empty());
  models::NetworkPointer other = bench.original();
  models::initialise(*other, 0, 99);
  EXPECT_TRUE(testing::changed(*network, *bench.after("retrain", {}, other)).empty());
  EXPECT_LT(mean_loss(bench.losses(*network, "retain")), 0.9);
}

// The network learns the noise pictures and unlearns the rows; the repair brings retained rows
// back.
TEST(DenoiserMethods, RandomTargetsAreLearntInThePlaceOfForgottenRows) {
  DenoiserBench& bench = DenoiserBench::shared();
  const Json erase = {{"epochs", 4}, {"rate", 1e-3}, {"repair_epochs", 0}};
  const auto original = bench.original(), erased = bench.after("random_targets", erase);
  EXPECT_GT(paired_z(bench.losses(*erased, "forget"), bench.losses(*original, "forget")), kClear);
  EXPECT_LT(
      paired_z(bench.losses_to_noise_pictures(*erased), bench.losses_to_noise_pictures(*original)),
      -kClear);
  Json with_repair = erase;
  with_repair["repair_epochs"] = 2;
  const auto repaired = bench.after("random_targets", with_repair);
  EXPECT_LT(paired_z(bench.losses(*repaired, "retain"), bench.losses(*erased, "retain")), -kClear);
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
  EXPECT_TRUE(holds(refused(lab, "scrub"),
                    {"scrub works on classifiers", "unet takes noise away", "finetune"}));
  EXPECT_TRUE(holds(refused(tiny_lab(), "random_targets"),
                    {"random_targets works on networks that take noise away (unet)",
                     "small_cnn classifies", "choose random_label"}));
  EXPECT_NO_THROW(
      plan_unlearning(*lab, train::plan(*lab), {read_choice(Json("random_targets"), "test")}));
}

}  // namespace
}  // namespace vestige::unlearn
