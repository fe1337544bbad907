// Training on a CUDA device: recorded steps against plain ones, precisions, the same bytes twice.
// Skipped where there is no device.
#include <gtest/gtest.h>

#include <numeric>

#include "vestige/data/synthetic.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/denoising.h"
#include "vestige/train/engine.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/loop.h"
#include "vestige/train/step_recorder.h"

namespace vestige::train {
namespace {

constexpr std::int64_t kRows = 1000;

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no CUDA device";
  }
  void TearDown() override { prepare_engine("cpu", 1); }

  struct Run {
    std::string bytes;
    double accuracy = 0;  ///< by chance 0.1
  };

  static data::Dataset images() {
    Options options(Json{{"name", "synthetic"},
                         {"rows", kRows},
                         {"test_rows", 0},
                         {"height", 16},
                         {"width", 16},
                         {"memorise", 0}},
                    "test");
    return data::load_synthetic(options);
  }

  /// A small network after four epochs on synthetic images: steps as they are, or recorded.
  static Run train(const std::string& precision, bool recordable,
                   const std::string& optimizer = "sgd", std::int64_t copies = 1) {
    prepare_engine("cuda", 1, precision, true);
    const data::Dataset data = images();
    const Samples samples(data, torch::Device("cuda"));
    Options model(Json{{"name", "small_cnn"}}, "test");
    const models::NetworkPointer network = models::make(model, {data.shape, data.classes}, copies);
    std::vector<std::uint64_t> seeds;
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      seeds.push_back(static_cast<std::uint64_t>(copy) + 1);
      models::initialise(*network, copy, seeds.back());
    }
    network->to(samples.device());
    Rows rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    Phase phase;
    phase.epochs = 4;
    phase.batch = 64;  // 15 batches of 64 and one of 40
    phase.optimizer.kind = optimizer;
    phase.optimizer.rate = optimizer == "adam" ? 0.003 : 0.05;
    phase.schedule.kind = "cosine";
    phase.objective = cross_entropy();
    phase.recordable = recordable;
    Watch watch;
    run_phase(*network, samples, std::vector<Rows>(static_cast<std::size_t>(copies), rows), seeds,
              phase, watch);
    return {models::save(*network, copies - 1), accuracies(*network, samples, rows).back()};
  }
};

TEST_F(Cuda, ThisBuildRecordsSteps) { EXPECT_TRUE(can_record_steps()); }

TEST_F(Cuda, RecordedStepsGiveTheSameBytes) {
  for (const char* precision : {"float32", "tf32", "bf16"}) {
    for (const char* optimizer : {"sgd", "adam"}) {
      const Run plain = train(precision, false, optimizer),
                recorded = train(precision, true, optimizer);
      EXPECT_TRUE(plain.bytes == recorded.bytes) << precision << " " << optimizer;
      EXPECT_GT(recorded.accuracy, 0.3) << precision << " " << optimizer;
    }
  }
}

TEST_F(Cuda, PrecisionsAreNotTheSame) {
  EXPECT_FALSE(train("float32", true).bytes == train("bf16", true).bytes);
}

TEST_F(Cuda, CopiesInOneGraphAreRecordedToo) {
  const Run plain = train("float32", false, "sgd", 4), recorded = train("float32", true, "sgd", 4);
  EXPECT_TRUE(plain.bytes == recorded.bytes);
  EXPECT_GT(recorded.accuracy, 0.3);
}

// The noise of a step is the same whether it is drawn within the step or ahead of it.
TEST_F(Cuda, DenoisersAreRecordedToo) {
  for (const char* precision : {"float32", "bf16"}) {
    prepare_engine("cuda", 1, precision, true);
    const data::Dataset data = images();
    const Samples samples(data, torch::Device("cuda"));
    Rows rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<std::string> bytes;
    for (const bool ahead : {false, true}) {
      Options model(Json{{"name", "unet"}, {"width", 8}, {"multipliers", {1, 2}}}, "test");
      const models::NetworkPointer network = models::make(model, {data.shape, data.classes}, 1);
      models::initialise(*network, 0, 1);
      network->to(samples.device());
      Phase phase;
      phase.batch = 64;
      phase.optimizer.kind = "adam";
      phase.optimizer.rate = 0.003;
      if (!ahead) phase.objective = denoising({1}, phase.purpose);
      Watch watch;
      run_phase(*network, samples, rows, 1, phase, watch);
      bytes.push_back(models::save(*network, 0));
    }
    EXPECT_TRUE(bytes[0] == bytes[1]) << precision;
  }
}

TEST_F(Cuda, DeterministicGivesTheSameBytesTwice) {
  EXPECT_TRUE(train("float32", true).bytes == train("float32", true).bytes);
}

}  // namespace
}  // namespace vestige::train
