// What collect writes: logits that a network gives, taps, saliency maps, labels and ids.
#include "vestige/collect/collect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/collect/outputs.h"
#include "vestige/evidence/npy.h"
#include "vestige/evidence/reader.h"
#include "vestige/models/checkpoint.h"
#include "vestige/pool/run.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/training.h"

namespace vestige::collect {
namespace {

using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;
using testing::tiny_lab;

/// A network whose logits and gradients are plain: logits = (2 * sum of inputs, 0).
class Sum : public models::Network {
 public:
  Sum() : Network(1) {}
  torch::Tensor forward(const torch::Tensor& inputs, models::Taps* taps) override {
    torch::Tensor map = inputs * 2;  // [1, b, channels, h, w]
    if (taps != nullptr && taps->wanted.count("map") > 0) taps->values["map"] = map;
    const torch::Tensor sum = map.flatten(2).sum(2, true);
    return torch::cat({sum, torch::zeros_like(sum)}, 2);
  }
  std::vector<std::string> tap_names() const override { return {"map", "penultimate", "logits"}; }
};

data::Dataset two_images() {
  data::Dataset dataset;
  dataset.name = "two";
  dataset.shape = {1, 2, 2};
  dataset.bytes = {0, 51, 102, 153, 255, 255, 0, 0};
  dataset.labels = {0, 1};
  dataset.classes = 2;
  dataset.train_rows = 2;
  dataset.mean = {0};
  dataset.deviation = {1};
  data::finish(dataset);
  return dataset;
}

TEST(Outputs, AreWhatTheNetworkSays) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  const Outputs outputs = outputs_of(network, samples, {0, 1}, {{"map"}, "gradient", "", false});
  // Inputs are bytes / 255: 2 * (0 + .2 + .4 + .6) = 2.4 and 2 * 2 = 4.
  const std::vector<double> logits = outputs.logits.doubles();
  EXPECT_NEAR(logits[0], 2.4, 1e-6);
  EXPECT_EQ(logits[1], 0);
  EXPECT_NEAR(logits[2], 4, 1e-6);
  EXPECT_EQ(outputs.activations.at("map").shape(), (std::vector<std::size_t>{2, 4}));
  EXPECT_NEAR(outputs.activations.at("map").doubles()[3], 1.2, 1e-6);
  // d logit of the true class / d pixel: 2 for class 0, 0 for class 1.
  EXPECT_EQ(outputs.saliency.doubles(), (std::vector<double>{2, 2, 2, 2, 0, 0, 0, 0}));
}

TEST(Outputs, GradCamWeighsTheTapByItsMeanGradient) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  const Outputs outputs = outputs_of(network, samples, {0}, {{}, "grad_cam", "map", false});
  // The gradient of the logit at the map is 1 everywhere: the map itself, 2 * input.
  const std::vector<double> map = outputs.saliency.doubles();
  EXPECT_NEAR(map[1], 0.4, 1e-6);
  EXPECT_NEAR(map[3], 1.2, 1e-6);
}

TEST(Outputs, HalfPrecisionRoundsOnly) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  const Outputs outputs = outputs_of(network, samples, {0}, {{}, "none", "", true});
  EXPECT_EQ(outputs.logits.dtype(), evidence::DType::float16);
  EXPECT_NEAR(outputs.logits.doubles()[0], 2.4, 2e-3);
}

class CollectTest : public ::testing::Test {
 protected:
  CollectTest() : store_(folder_ / "pool") {
    const auto jobs = train::training_jobs(lab_, train::plan(*lab_));
    pool::run(store_, jobs, {.progress = false});
  }
  CollectSettings settings() const {
    CollectSettings settings;
    settings.out = folder_ / "evidence";
    return settings;
  }
  CollectSummary collect(const CollectSettings& settings, bool force = false) {
    return collect::collect(lab_, train::plan(*lab_), {}, store_, settings, force);
  }

  TemporaryFolder folder_;
  std::shared_ptr<const train::Lab> lab_ =
      tiny_lab({"train.checkpoints=[0.5]", "pool.random=1", "train.epochs=2"});
  pool::Store store_;
};

TEST_F(CollectTest, WritesEvidenceThatReadsBack) {
  CollectSettings wanted = settings();
  wanted.checkpoints = true;
  const CollectSummary summary = collect(wanted);
  EXPECT_EQ(summary.models, 5U);  // original and retrained, also half-way, and random
  const evidence::Reading reading = evidence::read(wanted.out);
  EXPECT_EQ(evidence::count(reading.findings, evidence::Severity::error), 0U);
  // The logits are the checkpoint's.
  train::Workshop workshop(lab_);
  const auto plans = train::plan(*lab_);
  models::NetworkPointer network = workshop.network(lab_->recipe.model);
  models::load(*network, 0, store_.read(plans[0].identity.name(), "model.safetensors"), "original");
  const torch::Tensor logits =
      train::logits_of(*network, workshop.samples(), lab_->split.part("forget"))[0];
  const evidence::Array array = evidence::read_npy(wanted.out / "original/0/forget.npy");
  EXPECT_EQ(array.shape(), (std::vector<std::size_t>{40, 4}));
  EXPECT_NEAR(array.doubles()[7], logits.view({-1})[7].item<double>(), 1e-5);
  EXPECT_EQ(evidence::read_npy(wanted.out / "ids/forget.npy").integers(),
            lab_->split.part("forget"));
}

TEST_F(CollectTest, LimitsRowsAndRefusesUnknownTaps) {
  CollectSettings wanted = settings();
  wanted.rows = 10;
  collect(wanted);
  EXPECT_EQ(evidence::read_npy(wanted.out / "labels/retain.npy").rows(), 10U);
  wanted.taps = {"conv3"};
  EXPECT_TRUE(holds(error_of([&] { collect(wanted, true); }), "did you mean 'conv"));
  // The failed attempt left the first one in place and nothing beside it.
  EXPECT_EQ(evidence::read_npy(wanted.out / "labels/retain.npy").rows(), 10U);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().string().find(".partial."), std::string::npos) << entry.path();
  }
}

// Shadows that all saw the whole shadow part give the split that shadow-model attacks are fitted
// on.
TEST_F(CollectTest, WritesTheRowsOfShadowsThatShareThem) {
  lab_ = tiny_lab({"pool.shadow=2", "train.epochs=1"});  // 300 rows in the part, 400 in train
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings());
  EXPECT_EQ(evidence::read_npy(settings().out / "ids/shadow_train.npy").integers(),
            lab_->split.part("shadow"));
  lab_ = tiny_lab({"pool.shadow=2", "train.epochs=1", "shadow.rows=100"});
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings(), true);
  EXPECT_FALSE(std::filesystem::exists(settings().out / "ids/shadow_train.npy"));
}

TEST_F(CollectTest, LeavesForeignFoldersAlone) {
  CollectSettings wanted = settings();
  std::filesystem::create_directories(wanted.out / "precious");
  EXPECT_TRUE(holds(error_of([&] { collect(wanted, true); }), "not an evidence folder"));
  EXPECT_TRUE(std::filesystem::exists(wanted.out / "precious"));
}

}  // namespace
}  // namespace vestige::collect
