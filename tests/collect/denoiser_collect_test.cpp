// Evidence of denoisers: losses, activations and samples, no logits and no labels, and an audit
// that takes it.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/base/file.h"
#include "vestige/collect/collect.h"
#include "vestige/collect/samples.h"
#include "vestige/data/image.h"
#include "vestige/evidence/losses.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/family.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/pool/run.h"
#include "vestige/report/audit_run.h"
#include "vestige/train/denoising.h"
#include "vestige/train/training.h"
#include "vestige/words/words.h"

namespace vestige::collect {
namespace {

using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;
using testing::tiny_lab;

class DenoiserCollectTest : public ::testing::Test {
 protected:
  DenoiserCollectTest()
      : lab_(tiny_lab({"model={name='unet',width=8,multipliers=[1,2]}",
                       "train={epochs=0.5,batch=64,optimizer='adam',rate=0.002}",
                       "features={epochs=0.5,batch=64,rate=0.05}",
                       "collect={taps=['encoder'],samples=10,noise_draws=2}"})),
        store_(folder_ / "pool") {
    models_ = train::plan(*lab_);
    const auto jobs = train::training_jobs(lab_, models_);
    pool::run(store_, jobs, {.progress = false});
  }

  CollectSummary collect_all() {
    CollectSettings settings = read_collect(lab_->recipe);
    settings.out = folder_ / "evidence";
    return collect(lab_, models_, {}, store_, settings, false);
  }

  TemporaryFolder folder_;
  std::shared_ptr<const train::Lab> lab_;
  pool::Store store_;
  std::vector<train::ModelPlan> models_;
};

TEST_F(DenoiserCollectTest, WritesLossesActivationsAndSamples) {
  const CollectSummary summary = collect_all();
  // The classifier of [features] is no model of the evidence.
  EXPECT_EQ(summary.models, 2u);
  const auto evidence = evidence::load(folder_ / "evidence").evidence;
  EXPECT_TRUE(evidence.labels.empty());
  ASSERT_NE(evidence.find("original"), nullptr);
  EXPECT_EQ(evidence.find("features"), nullptr);
  const evidence::Model& model = evidence.find("original")->models.front();
  EXPECT_TRUE(model.outputs.empty());
  EXPECT_EQ(model.activations.at("encoder").at("forget").shape(),
            (std::vector<std::size_t>{40, 256}));
  // What the network says when it is asked by itself.
  train::Workshop workshop(lab_);
  const auto network = workshop.network(lab_->recipe.model);
  models::load(*network, 0, store_.read(models_[0].identity.name(), "model.safetensors"), "x");
  EXPECT_EQ(evidence::read_losses(evidence, model, "forget"),
            train::denoising_losses(*models::as_denoiser(*network), workshop.samples(),
                                    lab_->split.part("forget"), {.draws = 2}));
  EXPECT_EQ(model.activations.at("features").at("generated").rows(), 10u);
  EXPECT_EQ(model.activations.at("features").at("test").rows(), 200u);
  // 10 pictures of 8 x 8: four across, three down, a pixel between.
  const data::Image grid =
      data::decode_image(read_file(folder_ / "evidence/samples/original-0.png"), "original-0.png");
  EXPECT_EQ(grid.width, 35u);
  EXPECT_EQ(grid.height, 26u);
  // Asked again with the same models, the folder stays as it is.
  EXPECT_TRUE(collect_all().reused);
}

TEST_F(DenoiserCollectTest, IsTakenByAnAudit) {
  collect_all();
  evidence::Reading reading = evidence::load(folder_ / "evidence");
  for (const evidence::Finding& finding : reading.findings) {
    ADD_FAILURE() << words::text(evidence::about(finding));
  }
  const report::Audited audited = report::run_audit(
      std::move(reading.evidence), reading.findings,
      {"test", {{"sde", "losses", "generation"}, 1, {{"sde.size", 20}, {"sde.subsets", 4}}}},
      std::chrono::steady_clock::now());
  std::set<std::string> measured;
  for (const auto& row : audited.results.rows) {
    if (row.row.status != metrics::Status::skipped) measured.insert(row.row.metric);
  }
  for (const char* id : {"sde.otr", "sde.f1.retrained", "generation.frechet", "losses.loss.auc"}) {
    EXPECT_TRUE(measured.contains(id))
        << id << " is not among " << fmt::format("{}", fmt::join(measured, ", "));
  }
}

TEST_F(DenoiserCollectTest, HasNoSaliency) {
  CollectSettings settings = read_collect(lab_->recipe);
  settings.out = folder_ / "evidence";
  settings.saliency = "gradient";
  EXPECT_TRUE(holds(error_of([&] { collect(lab_, models_, {}, store_, settings, false); }),
                    {"no saliency", "[collect] saliency"}));
}

}  // namespace
}  // namespace vestige::collect
