// Training of denoisers: the loss by hand, the average of weights by hand, the same bytes twice.
#include "vestige/train/denoising.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/training.h"
#include "vestige/train/weight_average.h"

namespace vestige::train {
namespace {

using testing::error_of;
using testing::holds;
using testing::tiny_lab;

/// Pictures of four prototypes, which can be learnt in a few steps.
const std::vector<std::string> kUnet = {"model={name='unet',width=8,multipliers=[1,2]}",
                                        "data.idiosyncrasy=0", "data.signal=3",
                                        "train={epochs=4,batch=32,optimizer='adam',rate=0.005}"};

std::shared_ptr<const Lab> unet_lab(std::vector<std::string> more = {}) {
  std::vector<std::string> all = kUnet;
  all.insert(all.end(), more.begin(), more.end());
  return tiny_lab(all);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// An untrained U-Net is D(x) = c_skip x. On rows of 0 with noise 1 at sigma = 1.2 it says
// 1.2 * 0.25 / 1.69 everywhere, and the loss is weight times its square:
// 1.69 / 0.36 * (0.3 / 1.69)^2 = 0.25 / 1.69.
TEST(Denoising, LossIsTheWeightedSquaredError) {
  const auto lab = unet_lab();
  Workshop workshop(lab);
  const models::NetworkPointer network = workshop.network(lab->recipe.model);
  models::initialise(*network, 0, 1);
  const torch::Tensor zero = torch::zeros({1, 2, 1, 8, 8});
  const torch::Tensor errors =
      denoising_errors(*models::as_denoiser(*network), zero, zero,
                       {torch::full({1, 2}, 1.2F), torch::ones_like(zero)});
  EXPECT_EQ(errors.sizes(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_NEAR(errors[0][1].item<double>(), 0.25 / 1.69, 1e-6);
}

// For rows of deviation s_d the untrained loss is, in expectation, that of D = c_skip (y + sigma
// n): weight ((c_skip - 1)^2 s_d^2 + c_skip^2 sigma^2) = 1 at every level.
TEST(Denoising, UntrainedLossIsOneOnNormalisedRows) {
  const auto lab = unet_lab();
  Workshop workshop(lab);
  const models::NetworkPointer network = workshop.network(lab->recipe.model);
  models::initialise(*network, 0, 1);
  const std::vector<double> losses = denoising_losses(*models::as_denoiser(*network),
                                                      workshop.samples(), lab->split.part("train"));
  ASSERT_EQ(losses.size(), 400u);
  EXPECT_NEAR(mean_of(losses), 1, 0.1);
}

TEST(Denoising, TrainingLowersTheLossAndRepeatsItself) {
  const auto lab = unet_lab();
  const auto model = [&] {
    const auto plans = plan(*lab);
    return training_jobs(lab, {plans.front()}).front().make({}).front();
  };
  const pool::Product first = model(), second = model();
  EXPECT_EQ(first.files.at("model.safetensors"), second.files.at("model.safetensors"));
  // Untrained it is 1, as above.
  EXPECT_LT(first.facts.at("loss").at("train").get<double>(), 0.9);
  EXPECT_TRUE(first.facts.at("accuracy").at("train").is_null());
}

TEST(Denoising, NoiseOfARowIsItsOwn) {
  const auto lab = unet_lab();
  Workshop workshop(lab);
  const models::NetworkPointer network = workshop.network(lab->recipe.model);
  models::initialise(*network, 0, 1);
  models::Denoiser& denoiser = *models::as_denoiser(*network);
  const std::vector<double> three =
      denoising_losses(denoiser, workshop.samples(), {5, 6, 7}, {.draws = 2});
  const std::vector<double> last =
      denoising_losses(denoiser, workshop.samples(), {7}, {.draws = 2});
  EXPECT_NEAR(three[2], last[0], 1e-6);
  EXPECT_NE(three[0], three[1]);
  const torch::Tensor all = denoiser_activations(denoiser, workshop.samples(), {5, 7}, "encoder");
  EXPECT_EQ(all.sizes(), (std::vector<std::int64_t>{2, 16 * 4 * 4}));
  const torch::Tensor one = denoiser_activations(denoiser, workshop.samples(), {7}, "encoder");
  EXPECT_LT((all[1] - one[0]).abs().max().item<double>(), 1e-5);
  const torch::Tensor louder =
      denoiser_activations(denoiser, workshop.samples(), {7}, "encoder", {.level = 2});
  EXPECT_GT((louder - one).abs().max().item<double>(), 1e-3);
}

// Half-life 8 rows, steps of 4 rows: beta = 0.5^(1/2). Weights 1 at the start, then 2 and 4:
// average b + (1 - b) 2 = 2 - b, then b (2 - b) + (1 - b) 4 = 4 - 2 b - b^2 = 3.5 - sqrt(2).
TEST(WeightAverage, IsWorkedOutByHand) {
  const auto lab = unet_lab();
  Workshop workshop(lab);
  const models::NetworkPointer network = workshop.network(lab->recipe.model);
  const auto set = [&](double value) {
    const torch::NoGradGuard no_gradient;
    for (torch::Tensor& parameter : network->parameters()) parameter.fill_(value);
  };
  set(1);
  WeightAverage average(*network, 8, 0);
  set(2);
  average.update(4);
  set(4);
  average.update(4);
  average.apply();
  EXPECT_NEAR(network->parameters()[0].flatten()[0].item<double>(), 3.5 - std::sqrt(2.0), 1e-6);
}

// With a ramp-up of 0.5 the first step (no rows seen) forgets the start; at the second, 4 rows were
// seen, the half-life is 2 rows and beta = 0.5^(4/2) = 1/4: 2/4 + 4 * 3/4 = 3.5.
TEST(WeightAverage, BeginsWithAShortHalfLife) {
  const auto lab = unet_lab();
  Workshop workshop(lab);
  const models::NetworkPointer network = workshop.network(lab->recipe.model);
  const auto set = [&](double value) {
    const torch::NoGradGuard no_gradient;
    for (torch::Tensor& parameter : network->parameters()) parameter.fill_(value);
  };
  set(1);
  WeightAverage average(*network, 8, 0.5);
  set(2);
  average.update(4);
  set(4);
  average.update(4);
  average.apply();
  EXPECT_NEAR(network->parameters()[0].flatten()[0].item<double>(), 3.5, 1e-6);
}

TEST(WeightAverage, OfARecipeGivesOtherWeightsUnderAnotherName) {
  const auto plain = unet_lab(), averaged = unet_lab({"train.average_halflife=200"});
  const auto name = [](const Lab& lab) { return plan(lab).front().identity.name(); };
  EXPECT_NE(name(*plain), name(*averaged));
  const auto weights = [](const std::shared_ptr<const Lab>& lab) {
    const auto plans = plan(*lab);
    return training_jobs(lab, {plans.front()})
        .front()
        .make({})
        .front()
        .files.at("model.safetensors");
  };
  EXPECT_NE(weights(plain), weights(averaged));
}

TEST(Denoising, RefusesWhatNeedsClasses) {
  for (const char* setting : {"train.until_accuracy=0.9", "train.class_weights=reciprocal",
                              "train.log_forget_updates=true"}) {
    const auto lab = unet_lab({setting});
    EXPECT_TRUE(holds(error_of([&] { training_jobs(lab, plan(*lab)); }),
                      {"unet", "classifies nothing", "until_accuracy"}))
        << setting;
  }
}

}  // namespace
}  // namespace vestige::train
