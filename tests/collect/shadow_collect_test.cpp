// What collect writes of shadow models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/collect/collected.h"
#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/base/file.h"
#include "vestige/base/parallel.h"
#include "vestige/collect/collect.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/probed.h"
#include "vestige/evidence/reader.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/pool/run.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/training.h"

namespace vestige::collect {
namespace {

using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;
using testing::tiny_lab;

class ShadowCollectTest : public Collected {};

TEST_F(ShadowCollectTest, ShadowPairsShareTheModelOfTheWholePart) {
  lab_ = tiny_lab({"pool.shadow=2", "pool.shadow_pairs=true", "shadow.rows=240", "train.epochs=1"});
  const auto plans = train::plan(*lab_);
  pool::run(store_, train::training_jobs(lab_, plans), {.progress = false});
  CollectSettings wanted = settings();
  collect(wanted);
  const evidence::Reading reading = evidence::read(wanted.out);
  EXPECT_EQ(complaints(reading.findings), "");
  const auto rows_of = [&](const std::string& role, std::int64_t index) {
    for (const train::ModelPlan& plan : plans) {
      if (plan.role == role && plan.index == index) return plan.rows.list();
    }
    return train::Rows();
  };
  EXPECT_EQ(rows_of("shadow_whole", 0), lab_->split.part("shadow"));
  for (const std::int64_t shadow : {0, 1}) {
    const train::Rows own = rows_of("shadow", shadow);
    const auto ids = [&](const std::string& split, const std::string& model) {
      return evidence::read_npy(wanted.out / fmt::format("ids/{}.{}.npy", split, model)).integers();
    };
    const auto name = fmt::format("{}", shadow);
    // 300 - 240 rows were left out; as many of its own stand beside them.
    const train::Rows left = ids("shadow_forget", name);
    const train::Rows kept = ids("shadow_retain", name);
    EXPECT_EQ(left.size(), 60U);
    EXPECT_EQ(kept.size(), 60U);
    for (const std::int64_t row : left) {
      EXPECT_FALSE(std::binary_search(own.begin(), own.end(), row));
    }
    for (const std::int64_t row : kept) {
      EXPECT_TRUE(std::binary_search(own.begin(), own.end(), row));
    }
    // Both halves of a pair speak of the same rows.
    EXPECT_EQ(left, ids("shadow_forget", name + ".original"));
    EXPECT_EQ(kept, ids("shadow_retain", name + ".original"));
    for (const char* half : {"", ".original"}) {
      const auto file = wanted.out / fmt::format("shadow/{}{}/shadow_forget.npy", name, half);
      EXPECT_EQ(evidence::read_npy(file).shape(), (std::vector<std::size_t>{60, 4}));
    }
  }
  EXPECT_FALSE(std::filesystem::exists(wanted.out / "shadow/0.original/forget.npy"));
  EXPECT_TRUE(holds(
      error_of([] {
        train::plan(*tiny_lab({"pool.shadow=1", "pool.shadow_pairs=true", "shadow.rows=300"}));
      }),
      {"shadow_pairs", "300"}));
}

TEST_F(ShadowCollectTest, WritesShadowsOnTheirWayToTheOriginal) {
  lab_ =
      tiny_lab({"pool.shadow=2", "pool.graded=2", "graded={steps=4, epochs=2}", "train.epochs=1"});
  auto store = std::make_shared<pool::Store>(store_.folder());
  pool::run(*store, train::training_jobs(lab_, train::plan(*lab_), store), {.progress = false});
  collect(settings());
  const evidence::Reading reading = evidence::load(settings().out);
  const evidence::Evidence& evidence = reading.evidence;
  EXPECT_EQ(complaints(reading.findings), "");
  EXPECT_EQ(evidence.find("shadow")->models.size(), 2U);
  EXPECT_EQ(
      evidence.membership,
      (std::map<std::string, double>{
          {"graded.0.25", 0.25}, {"graded.0.5", 0.5}, {"graded.0.75", 0.75}, {"graded.1", 1}}));
  for (const auto& [method, share] : evidence.membership) {
    const evidence::Group* group = evidence.find("checkpoint", method);
    ASSERT_NE(group, nullptr) << method;
    EXPECT_EQ(group->models.size(), 2U);
    EXPECT_TRUE(group->models[0].has("retain"));
  }
  // The way ends nearer to the training rows than it began: the first and last checkpoint's loss.
  const auto loss = [&](const char* method) {
    const Matrix rows = evidence::log_probabilities(
        evidence.find("checkpoint", method)->models[0].outputs.at("retain"), evidence.kind);
    double sum = 0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      sum -= rows(row, static_cast<std::size_t>(evidence.labels.at("retain")[row]));
    }
    return sum / static_cast<double>(rows.rows());
  };
  EXPECT_LT(loss("graded.1"), loss("graded.0.25"));
}

// Shadows that all saw the whole shadow part give the split that shadow-model attacks are fitted
// on.
TEST_F(ShadowCollectTest, WritesTheRowsOfShadowsThatShareThem) {
  lab_ = tiny_lab({"pool.shadow=2", "train.epochs=1"});  // 300 rows in the part, 400 in train
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings());
  EXPECT_EQ(evidence::read_npy(settings().out / "ids/shadow_train.npy").integers(),
            lab_->split.part("shadow"));
  lab_ = tiny_lab({"pool.shadow=2", "train.epochs=1", "shadow.rows=100"});
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings(), true);
  EXPECT_FALSE(std::filesystem::exists(settings().out / "ids/shadow_train.npy"));
  // Each shadow has rows of its own then.
  const evidence::Reading reading = evidence::load(settings().out);
  EXPECT_EQ(complaints(reading.findings), "");
  for (const evidence::Model& model : reading.evidence.find("shadow")->models) {
    EXPECT_EQ(model.outputs.at("shadow_train").rows(), 100U);
    EXPECT_EQ(reading.evidence.find_labels(model, "shadow_train")->size(), 100U);
  }
  EXPECT_NE(reading.evidence.ids.at("shadow_train.0"), reading.evidence.ids.at("shadow_train.1"));
}

}  // namespace
}  // namespace vestige::collect
