// What collect writes: outputs, labels, ids, and who was trained on what.
#include "vestige/collect/collect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/collect/collected.h"
#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/base/file.h"
#include "vestige/base/parallel.h"
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

class CollectTest : public Collected {};

TEST_F(CollectTest, WritesEvidenceThatReadsBack) {
  CollectSettings wanted = settings();
  wanted.checkpoints = true;
  const CollectSummary summary = collect(wanted);
  EXPECT_EQ(summary.models, 5U);  // original and retrained, also half-way, and random
  const evidence::Reading reading = evidence::read(wanted.out);
  EXPECT_EQ(evidence::count(reading.findings, evidence::Severity::error), 0U);
  // Half-way models are apart, so that nobody takes them for originals.
  EXPECT_EQ(reading.evidence.find("original")->models.size(), 1U);
  EXPECT_NE(reading.evidence.find("checkpoint", "original.0.5"), nullptr);
  EXPECT_NE(reading.evidence.find("checkpoint", "retrained.0.5"), nullptr);
  EXPECT_TRUE(reading.evidence.membership.empty());
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

// Probed models are asked about forget and test rows, each stage by itself; rows that the probe
// trained on are marked.
TEST_F(CollectTest, ProbedModelsWithStagesAndShownRows) {
  const auto lab = tiny_lab({"train.epochs=1", "methods=['identity']",
                             "probes=['int8', {name='relearn', rows=6, steps=[1, 2]}]"});
  const auto models = train::plan(*lab);
  const auto unlearned =
      unlearn::plan_unlearning(*lab, models, unlearn::chosen_methods(lab->recipe, {}));
  const auto probed =
      unlearn::plan_probes(*lab, models, unlearned, unlearn::chosen_probes(lab->recipe, {}));
  const auto store = std::make_shared<pool::Store>(folder_ / "probed");
  std::vector<pool::Job> jobs = train::training_jobs(lab, models);
  for (pool::Job& job : unlearn::unlearning_jobs(lab, models, unlearned, store)) {
    jobs.push_back(std::move(job));
  }
  for (pool::Job& job : unlearn::probing_jobs(lab, probed, store)) jobs.push_back(std::move(job));
  pool::run(*store, jobs, {.progress = false});
  CollectSettings wanted = settings();
  wanted.out = folder_ / "with probes";
  const CollectSummary summary =
      collect::collect(lab, models, unlearned, *store, wanted, false, probed);
  EXPECT_EQ(summary.models, 3U + 3 * 3);  // each of three models under int8, relearn.1, relearn.2
  const evidence::Reading reading = evidence::read(wanted.out);
  EXPECT_EQ(evidence::count(reading.findings, evidence::Severity::error), 0U);
  EXPECT_EQ(evidence::probes(reading.evidence),
            (std::vector<std::string>{"int8", "relearn.1", "relearn.2"}));
  const evidence::Group* group =
      evidence::find_probed(reading.evidence, "relearn.2", "unlearned", "identity");
  ASSERT_NE(group, nullptr);
  const evidence::Model& model = group->models.front();
  EXPECT_TRUE(model.has("forget") && model.has("test") && !model.has("retain"));
  const auto members = model.members.at("forget").integers();
  EXPECT_EQ(std::count(members.begin(), members.end(), 1), 6);
  EXPECT_TRUE(collect::collect(lab, models, unlearned, *store, wanted, false, probed).reused);
}

// Batches that never change are told, row by row; the original has 400 rows in 13 batches of 32,
// forget rows among them, the retrained model none of these.
TEST_F(CollectTest, FixedBatchesAndSubclasses) {
  const auto lab = tiny_lab({"train.fixed_batches=true", "train.epochs=1"});
  pool::Store store(folder_ / "fixed");
  pool::run(store, train::training_jobs(lab, train::plan(*lab)), {.progress = false});
  CollectSettings wanted = settings();
  wanted.out = folder_ / "batched";
  collect::collect(lab, train::plan(*lab), {}, store, wanted, false);
  const evidence::Evidence evidence = evidence::read(wanted.out).evidence;
  std::map<std::int64_t, std::size_t> sizes;
  const evidence::Model& original = evidence.find("original")->models.at(0);
  for (const char* split : {"forget", "retain"}) {
    for (const std::int64_t batch : original.batches.at(split).integers()) ++sizes[batch];
  }
  EXPECT_EQ(sizes.size(), 13U);
  EXPECT_EQ(sizes.at(0), 32U);
  EXPECT_EQ(sizes.at(12), 16U);
  EXPECT_EQ(evidence.find("retrained")->models.at(0).batches.at("forget").integers(),
            std::vector<std::int64_t>(40, -1));
  const auto row = static_cast<std::size_t>(lab->split.part("test").at(5));
  EXPECT_EQ(evidence.subclasses.at("test").at(5), std::to_string(lab->data.subclasses.at(row)));
}

TEST_F(CollectTest, ModelsThatDivergedAreLeftOut) {
  // The same pool with NaN in a weight of the retrained model.
  train::Workshop workshop(lab_);
  models::NetworkPointer network = workshop.network(lab_->recipe.model);
  {
    const torch::NoGradGuard no_gradient;
    for (torch::Tensor& parameter : network->parameters()) parameter.fill_(std::nan(""));
  }
  pool::Store other(folder_ / "other");
  for (const train::ModelPlan& plan : train::plan(*lab_)) {
    pool::Product product;
    product.facts = store_.find(plan.identity.name())->facts;
    product.files["model.safetensors"] =
        plan.role == "retrained" ? models::save(*network, 0)
                                 : store_.read(plan.identity.name(), "model.safetensors");
    other.put(plan.identity, product);
  }
  const CollectSummary summary =
      collect::collect(lab_, train::plan(*lab_), {}, other, settings(), false);
  EXPECT_EQ(summary.broken, std::vector<std::string>{"retrained/0"});
  EXPECT_EQ(summary.models, 2U);
  EXPECT_FALSE(std::filesystem::exists(settings().out / "retrained/0"));
  // The same again is taken as it is, and names as many models as are in it.
  const CollectSummary again =
      collect::collect(lab_, train::plan(*lab_), {}, other, settings(), false);
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.models, 2U);
  EXPECT_EQ(again.broken, summary.broken);
  const evidence::Reading reading = evidence::read(settings().out);
  EXPECT_EQ(evidence::count(reading.findings, evidence::Severity::error), 0U);
}

TEST_F(CollectTest, ManyThreadsWriteTheSameBytes) {
  const auto files = [&](int threads, const char* name) {
    train::Lab lab = *lab_;
    lab.context = Context({.threads = threads});
    CollectSettings wanted = settings();
    wanted.out = folder_ / name;
    wanted.checkpoints = true;
    wanted.taps = {"penultimate"};
    collect::collect(std::make_shared<const train::Lab>(lab), train::plan(lab), {}, store_, wanted,
                     false);
    std::map<std::string, std::string> content;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(wanted.out)) {
      if (entry.path().extension() != ".npy") continue;
      content[std::filesystem::relative(entry.path(), wanted.out).string()] =
          read_file(entry.path());
    }
    return content;
  };
  const auto one = files(1, "one");
  EXPECT_GT(one.size(), 20U);
  EXPECT_TRUE(one == files(4, "four"));
}

TEST_F(CollectTest, TheVerySameIsNotCollectedTwice) {
  const CollectSummary first = collect(settings());
  EXPECT_FALSE(first.reused);
  const auto stamp = [&] {
    return std::filesystem::last_write_time(settings().out / "original/0/forget.npy");
  };
  const auto before = stamp();
  const CollectSummary second = collect(settings());
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.models, first.models);
  EXPECT_EQ(stamp(), before);
  // A missing file, other rows or another setting is another folder.
  CollectSettings other = settings();
  other.rows = 10;
  EXPECT_TRUE(holds(error_of([&] { collect(other); }), "--force"));
  other = settings();
  other.dtype = "float16";
  EXPECT_TRUE(holds(error_of([&] { collect(other); }), "--force"));
  std::filesystem::remove(settings().out / "original/0/forget.npy");
  EXPECT_TRUE(holds(error_of([&] { collect(settings()); }), "--force"));
  EXPECT_FALSE(collect(settings(), true).reused);
  EXPECT_TRUE(std::filesystem::exists(settings().out / "original/0/forget.npy"));
  // The record is no evidence: no finding says that it was not read.
  for (const evidence::Finding& finding : evidence::read(settings().out).findings) {
    EXPECT_NE(finding.code, "W-NOT-READ") << finding.file;
  }
}

TEST_F(CollectTest, GradedRetrainsSayWhichForgetRowsTheyKept) {
  lab_ = tiny_lab({"pool.partial=1", "pool.partial_shares=[25]", "train.epochs=1"});
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings());
  const evidence::Reading reading = evidence::load(settings().out);
  const evidence::Model& model = reading.evidence.find("partial", "25")->models.front();
  const std::vector<std::int64_t> kept = model.members.at("forget").integers();
  ASSERT_EQ(kept.size(), 40U);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), 0), 10);  // 25 % of 40 were removed
  EXPECT_EQ(model.members.count("retain"), 0U);
  for (const train::ModelPlan& plan : train::plan(*lab_)) {
    if (plan.role != "partial/25") continue;
    for (std::size_t row = 0; row < kept.size(); ++row) {
      const std::int64_t id = lab_->split.part("forget")[row];
      EXPECT_EQ(std::binary_search(plan.rows.begin(), plan.rows.end(), id), kept[row] == 1);
    }
  }
}

TEST_F(CollectTest, WritesPicturesAndMapsOfTheFirstModels) {
  lab_ = tiny_lab({"pool.original=2", "train.epochs=1"});
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  CollectSettings wanted = settings();
  wanted.pictures = true;
  wanted.rows = 7;
  collect(wanted);
  const evidence::Reading reading = evidence::load(wanted.out);
  const evidence::Evidence& evidence = reading.evidence;
  const evidence::Array& pictures = evidence.pictures.at("forget");
  EXPECT_EQ(pictures.shape(), (std::vector<std::size_t>{7, 8, 8}));
  // The bytes are those of the data set, by the row numbers in ids.
  const auto row = static_cast<std::size_t>(std::stoll(evidence.ids.at("forget")[3]));
  for (std::size_t pixel = 0; pixel < 64; ++pixel) {
    EXPECT_EQ(std::to_integer<int>(pictures.bytes()[3 * 64 + pixel]),
              lab_->data.bytes[row * 64 + pixel]);
  }
  const evidence::Group* originals = evidence.find("original");
  ASSERT_EQ(originals->models.size(), 2U);
  EXPECT_TRUE(originals->models[1].grad_cam.empty());
  EXPECT_EQ(evidence.find("retrained")->models[0].grad_cam.count("forget"), 1U);
  const evidence::Array& maps = originals->models[0].grad_cam.at("forget");
  EXPECT_EQ(maps.shape(), (std::vector<std::size_t>{7, 8, 8}));
  EXPECT_EQ(maps.dtype(), evidence::DType::float16);
  for (std::size_t image = 0; image < 7; ++image) {
    std::vector<double> map(64);
    maps.read_row(image, map);
    const auto [low, high] = std::minmax_element(map.begin(), map.end());
    EXPECT_GE(*low, 0);
    EXPECT_TRUE(*high == 1 || *high == 0) << *high;
  }
}

TEST_F(CollectTest, WritesWhoWasTrainedOnWhat) {
  lab_ = tiny_lab({"pool.membership=4", "pool.membership_pairs=true", "train.epochs=1"});
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings());
  const evidence::Reading reading = evidence::load(settings().out);
  EXPECT_EQ(complaints(reading.findings), "");
  const evidence::Group* group = reading.evidence.find("membership");
  ASSERT_EQ(group->models.size(), 4U);
  std::size_t first = 0;
  for (const char* split : {"forget", "retain"}) {
    const auto one = group->models[0].members.at(split).integers();
    const auto other = group->models[1].members.at(split).integers();
    for (std::size_t row = 0; row < one.size(); ++row) {
      EXPECT_EQ(one[row] + other[row], 1);  // pairs share nothing and leave nothing out
      first += static_cast<std::size_t>(one[row]);
    }
  }
  EXPECT_EQ(first, 200U);  // half of train
  EXPECT_FALSE(group->models[0].has("validation"));
}

// Canaries are a split of their own with the original's coins; forget rows stay what they were.
TEST_F(CollectTest, WritesCanariesAndTheirCoins) {
  const auto usual = lab_;
  lab_ = tiny_lab({"canaries.rows=100", "pool.verification=1", "train.epochs=1"});
  pool::run(store_, train::training_jobs(lab_, train::plan(*lab_)), {.progress = false});
  collect(settings());
  const evidence::Reading reading = evidence::load(settings().out);
  EXPECT_EQ(complaints(reading.findings), "");
  const evidence::Model& original = reading.evidence.find("original")->models.front();
  const std::vector<std::int64_t> coins = original.members.at("canary").integers();
  const std::vector<std::int64_t> ids =
      evidence::read_npy(settings().out / "ids/canary.npy").integers();
  const auto& train = lab_->split.part("train");
  ASSERT_EQ(coins.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(coins[i] == 1, std::binary_search(train.begin(), train.end(), ids[i]));
    const auto row = static_cast<std::size_t>(ids[i]);
    EXPECT_EQ(reading.evidence.labels.at("canary")[i], lab_->data.labels[row]);
    EXPECT_NE(reading.evidence.labels.at("canary")[i], usual->data.labels[row]);
  }
  EXPECT_EQ(evidence::read_npy(settings().out / "ids/forget.npy").integers(),
            usual->split.part("forget"));
  for (const char* role : {"retrained", "verification"}) {
    const evidence::Model& model = reading.evidence.find(role)->models.front();
    EXPECT_TRUE(model.has("canary")) << role;
    EXPECT_TRUE(model.members.empty()) << role;
  }
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

TEST_F(CollectTest, LeavesForeignFoldersAlone) {
  CollectSettings wanted = settings();
  std::filesystem::create_directories(wanted.out / "precious");
  EXPECT_TRUE(holds(error_of([&] { collect(wanted, true); }), "not an evidence folder"));
  EXPECT_TRUE(std::filesystem::exists(wanted.out / "precious"));
}

}  // namespace
}  // namespace vestige::collect
