// Models of a recipe: who they are, and that their jobs make them.
#include "vestige/train/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/base/file.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/models/weights/safetensors.h"
#include "vestige/train/evaluate.h"

namespace vestige::train {
namespace {

using testing::error_of;
using testing::holds;
using testing::tiny_lab;

std::vector<pool::Product> make(const pool::Job& job) {
  return job.make([](const pool::Report&) {});
}

TEST(Plan, NamesEveryRoleWithItsRows) {
  const auto lab =
      tiny_lab({"pool.original=2", "pool.retrained=1", "pool.shadow=2", "pool.random=1",
                "pool.partial=1", "pool.membership=1", "shadow.rows=100"});
  std::map<std::string, std::size_t> rows;
  std::set<std::string> names;
  for (const ModelPlan& each : plan(*lab)) {
    rows[each.label()] = each.rows.size();
    names.insert(each.identity.name());
  }
  EXPECT_EQ(rows, (std::map<std::string, std::size_t>{{"original/0", 400},
                                                      {"original/1", 400},
                                                      {"retrained/0", 360},
                                                      {"partial/25/0", 390},
                                                      {"partial/50/0", 380},
                                                      {"partial/75/0", 370},
                                                      {"shadow/0", 100},
                                                      {"shadow/1", 100},
                                                      {"membership/0", 200},
                                                      {"random/0", 400}}));
  EXPECT_EQ(names.size(), rows.size());
}

// Originals do not know who is forgotten, so that they are shared by recipes that forget others.
TEST(Plan, OriginalsAreSharedAcrossForgetSets) {
  const auto one = plan(*tiny_lab()), other = plan(*tiny_lab({"forget.count=80"}));
  EXPECT_EQ(one[0].identity.name(), other[0].identity.name());
  EXPECT_NE(one[1].identity.name(), other[1].identity.name());
}

TEST(Plan, AnotherForgetDrawNeedsNoOtherOriginal) {
  const std::vector<std::string> one_of_each = {"pool.partial=1", "forget.seed=7"};
  const auto one = plan(*tiny_lab(one_of_each));
  const auto other = plan(*tiny_lab({"pool.partial=1", "forget.seed=8"}));
  EXPECT_EQ(one[0].identity.name(), other[0].identity.name());
  for (std::size_t index = 1; index < one.size(); ++index) {
    EXPECT_NE(one[index].rows, other[index].rows) << one[index].label();
    EXPECT_NE(one[index].seed, other[index].seed) << one[index].label();
  }
  EXPECT_EQ(one[0].seed, plan(*tiny_lab())[0].seed);
}

TEST(Plan, WhatShapesAModelChangesItsName) {
  const std::string name = plan(*tiny_lab())[0].identity.name();
  for (const char* change : {"seed=2", "train.rate=0.1", "train.threads=2", "train.copies=1",
                             "model.width=5", "split.train=401", "data.seed=1"}) {
    const bool same = std::string(change) == "train.copies=1";  // one per graph is the default
    EXPECT_EQ(plan(*tiny_lab({change}))[0].identity.name() == name, same) << change;
  }
}

// Names that version 2 of the code gives: a pool that somebody has filled must stay of use.
TEST(Plan, AFileOfWeightsIsKnownByWhatItHolds) {
  const testing::TemporaryFolder folder;
  write_file(folder / "here", "one");
  write_file(folder / "moved", "one");
  write_file(folder / "other", "two");
  const auto name = [&](const char* file) {
    const std::string path = (folder / file).string();
    return plan(*tiny_lab({fmt::format("model.weights='{}'", path)})).front().identity.name();
  };
  EXPECT_EQ(name("here"), name("moved"));
  EXPECT_NE(name("here"), name("other"));
  EXPECT_NE(name("here"), plan(*tiny_lab()).front().identity.name());
  // A plan needs no file; building the network does.
  EXPECT_NE(name("nowhere"), name("here"));
}

TEST(Plan, NamesOfModelsDoNotChange) {
  const std::map<std::string, std::string> known = {
      {"original/0", "2f43f0d9f34574e12571"},   {"retrained/0", "85ebc54cdb7ffab1d319"},
      {"partial/25/0", "27db9c362e14b18a6062"}, {"shadow/0", "1dfc939d4dc4799caf3c"},
      {"membership/0", "ad10a0bdb770747c3d6a"}, {"random/0", "ff60c29f0b6b44e97fff"}};
  const auto lab = tiny_lab({"pool.shadow=1", "pool.membership=1", "pool.partial=1",
                             "pool.random=1", "pool.partial_shares=[25]"});
  for (const ModelPlan& each : plan(*lab)) {
    EXPECT_EQ(each.identity.name(), known.at(each.label())) << each.label();
  }
}

// The last point is of the finished model, by functions that the history does not use.
TEST(Training, HistoryHasAPointPerEpochAndChangesNothing) {
  const auto plain = tiny_lab(), watched = tiny_lab({"train.history=true"});
  const std::vector<ModelPlan> without = plan(*plain), with = plan(*watched);
  EXPECT_NE(without[0].identity.name(), with[0].identity.name());
  const pool::Product unseen = make(training_jobs(plain, {without[0]}).front()).front();
  const pool::Product seen = make(training_jobs(watched, {with[0]}).front()).front();
  EXPECT_EQ(unseen.files.at("model.safetensors"), seen.files.at("model.safetensors"));
  EXPECT_FALSE(unseen.facts.contains("history"));
  const Json& history = seen.facts.at("history");
  EXPECT_EQ(history.at("train").at("accuracy").size(), 3U);
  EXPECT_EQ(history.at("train").at("accuracy").back(), seen.facts.at("accuracy").at("train"));
  Workshop workshop(watched);
  const models::NetworkPointer network = workshop.network(with[0].model);
  models::load(*network, 0, seen.files.at("model.safetensors"), "the model");
  const Rows& validation = watched->split.part("validation");
  EXPECT_NEAR(history.at("validation").at("loss").back().get<double>(),
              mean_loss(*network, workshop.samples(), validation), 1e-6);
  EXPECT_NEAR(history.at("validation").at("accuracy").back().get<double>(),
              accuracy(*network, workshop.samples(), validation), 1e-12);
}

TEST(Plan, MembershipPairsAreHalvesOfOneDraw) {
  const auto lab = tiny_lab(
      {"pool.membership=2", "pool.membership_pairs=true", "pool.original=0", "pool.retrained=0"});
  const auto plans = plan(*lab);
  std::vector<std::int64_t> both;
  std::merge(plans[0].rows.begin(), plans[0].rows.end(), plans[1].rows.begin(), plans[1].rows.end(),
             std::back_inserter(both));
  EXPECT_EQ(both, lab->split.part("train"));
}

TEST(Plan, GradedModelsBeginWithTheirShadow) {
  const auto lab = tiny_lab({"pool.shadow=2", "pool.graded=1", "graded={steps=4, epochs=5}"});
  const auto plans = plan(*lab);
  const auto find = [&](const std::string& label) {
    return *std::find_if(plans.begin(), plans.end(),
                         [&](const ModelPlan& each) { return each.label() == label; });
  };
  const ModelPlan graded = find("graded/0");
  EXPECT_EQ(graded.start, find("shadow/0").identity.name());
  EXPECT_EQ(graded.rows.list(), lab->split.part("train"));
  EXPECT_EQ(graded.train.checkpoints, (std::vector<double>{0.25, 0.5, 0.75}));
  EXPECT_EQ(graded.train.epochs, 5);
  EXPECT_TRUE(holds(error_of([] { tiny_lab({"pool.graded=1"}); }), "shadow is 0"));
  EXPECT_TRUE(holds(error_of([] { tiny_lab({"graded.checkpoints=[0.5]"}); }), "steps"));
}

// A training set that grew: models are trained before and go on after, and the new rows alone can
// be forgotten.
TEST(Plan, ADynamicTrainingSetIsTrainedOnInTwoStretches) {
  const auto lab = tiny_lab({"dynamic={rows=60, epochs=1, shift={kind='noise', amount=0.1}}"});
  EXPECT_EQ(lab->added.size(), 60U);
  EXPECT_EQ(lab->split.part("train").size(), 460U);
  const auto& forget = lab->split.part("forget");
  EXPECT_EQ(forget.size(), 40U);
  EXPECT_TRUE(std::includes(lab->added.begin(), lab->added.end(), forget.begin(), forget.end()));
  for (const char* part : {"validation", "shadow", "test"}) {
    for (const std::int64_t row : lab->split.part(part)) {
      EXPECT_FALSE(std::binary_search(lab->added.begin(), lab->added.end(), row));
    }
  }
  const auto plans = plan(*lab);
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_EQ(plans[0].label(), "before/0");
  EXPECT_EQ(plans[0].rows.size(), 400U);
  EXPECT_EQ(plans[1].label(), "original/0");
  EXPECT_EQ(plans[1].start, plans[0].identity.name());
  EXPECT_EQ(plans[1].rows.size(), 460U);
  EXPECT_EQ(plans[2].label(), "retrained/0");
  EXPECT_EQ(plans[2].start, plans[0].identity.name());
  EXPECT_EQ(plans[2].rows.size(), 420U);
  // The first stretch knows nothing of what comes; the second depends on what the rows became.
  const auto more = plan(*tiny_lab({"dynamic={rows=61, epochs=1}"}));
  EXPECT_EQ(more[0].identity.name(), plans[0].identity.name());
  const auto other =
      plan(*tiny_lab({"dynamic={rows=60, epochs=1, shift={kind='noise', amount=0.2}}"}));
  EXPECT_NE(other[1].identity.name(), plans[1].identity.name());
  EXPECT_TRUE(holds(error_of([] { tiny_lab({"dynamic.rows=500"}); }),
                    {"500", "200 training examples"}));  // 1000 - 400 - 100 - 300
}

// Canaries are 100 of the 200 rows that no part has; whoever never sees one is the same model.
TEST(Plan, CanariesChangeOnlyModelsThatSeeThem) {
  const auto usual = plan(*tiny_lab({"pool.shadow=1"}));
  const auto lab = tiny_lab({"pool.shadow=1", "canaries={rows=100}"});
  const auto plans = plan(*lab);
  const std::size_t inserted = lab->split.part("train").size() - 400;
  EXPECT_GT(inserted, 25U);
  EXPECT_LT(inserted, 75U);
  EXPECT_EQ(lab->split.part("forget").size(), 40 + inserted);
  const auto name = [](const std::vector<ModelPlan>& all, const std::string& label) {
    for (const ModelPlan& each : all) {
      if (each.label() == label) return each.identity.name();
    }
    return std::string();
  };
  EXPECT_NE(name(plans, "original/0"), name(usual, "original/0"));
  EXPECT_EQ(name(plans, "retrained/0"), name(usual, "retrained/0"));
  EXPECT_EQ(name(plans, "shadow/0"), name(usual, "shadow/0"));
  const auto own = plan(*tiny_lab({"pool.shadow=1", "canaries={rows=100, labels='own'}"}));
  EXPECT_NE(name(own, "original/0"), name(plans, "original/0")) << "the same rows, other labels";
  EXPECT_TRUE(holds(error_of([] { tiny_lab({"canaries.rows=500"}); }), {"500", "200"}));
  EXPECT_TRUE(holds(error_of([] {
                      tiny_lab({"canaries.rows=50", "dynamic={rows=60}"});
                    }),
                    {"[canaries]", "[dynamic]"}));
}

// 15 % of the 360 kept rows, each model its own draw.
TEST(Plan, VerificationModelsSeeAPartOfTheKeptRows) {
  const auto lab = tiny_lab({"pool.verification=2"});
  std::vector<ModelPlan> found;
  for (const ModelPlan& each : plan(*lab)) {
    if (each.role == "verification") found.push_back(each);
  }
  ASSERT_EQ(found.size(), 2U);
  const auto& retain = lab->split.part("retain");
  for (const ModelPlan& each : found) {
    EXPECT_EQ(each.rows.size(), 54U);
    EXPECT_TRUE(std::includes(retain.begin(), retain.end(), each.rows.begin(), each.rows.end()));
  }
  EXPECT_NE(found[0].rows.list(), found[1].rows.list());
  EXPECT_TRUE(holds(error_of([] { tiny_lab({"pool.verification_share=15"}); }), "share"));
}

TEST(Plan, ShadowsMayHaveOtherData) {
  const auto usual = tiny_lab({"pool.shadow=1"});
  const auto other =
      tiny_lab({"pool.shadow=1",
                "shadow.data={name='synthetic', rows=500, classes=4, height=8, width=8, "
                "seed=9}"});
  const auto& rows = other->split.part("shadow");
  ASSERT_EQ(rows.size(), 300U);   // as many as [split] shadow says
  EXPECT_EQ(rows.front(), 1200);  // behind the 1000 + 200 rows of the data set
  EXPECT_EQ(other->data.rows(), 1500U);
  const auto noisy = tiny_lab({"pool.shadow=1", "shadow.shift={kind='coarse', amount=2}"});
  const auto name = [](const auto& lab, const std::string& label) {
    for (const ModelPlan& each : plan(*lab)) {
      if (each.label() == label) return each.identity.name();
    }
    return std::string();
  };
  // Only shadow models are other ones.
  EXPECT_EQ(name(usual, "original/0"), name(other, "original/0"));
  EXPECT_EQ(name(usual, "original/0"), name(noisy, "original/0"));
  EXPECT_NE(name(usual, "shadow/0"), name(other, "shadow/0"));
  EXPECT_NE(name(usual, "shadow/0"), name(noisy, "shadow/0"));
  EXPECT_TRUE(holds(error_of([] {
                      tiny_lab({"pool.shadow=1", "shadow.data={name='synthetic', height=9}"});
                    }),
                    "one shape"));
}

TEST(Training, GoesOnFromAnotherModel) {
  const testing::TemporaryFolder folder;
  auto store = std::make_shared<pool::Store>(folder / "pool");
  const auto lab = tiny_lab({"pool.shadow=1", "pool.graded=1", "graded={steps=2, epochs=0}",
                             "pool.original=0", "pool.retrained=0"});
  const auto plans = plan(*lab);
  const auto jobs = training_jobs(lab, plans, store);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_TRUE(jobs[0].needs.empty());
  EXPECT_EQ(jobs[1].needs, std::vector<std::string>{plans[0].identity.name()});
  const pool::Product shadow = make(jobs[0]).at(0);
  store->put(plans[0].identity, shadow);
  // No step was made, so the weights are the shadow's.
  EXPECT_EQ(make(jobs[1]).at(0).files.at("model.safetensors"),
            shadow.files.at("model.safetensors"));
}

TEST(Plan, ShadowsNeedRows) {
  EXPECT_TRUE(holds(error_of([] {
                      plan(*tiny_lab({"pool.shadow=1", "split.shadow=0"}));
                    }),
                    "give [split] shadow"));
  EXPECT_TRUE(holds(error_of([] {
                      plan(*tiny_lab({"pool.shadow=1", "shadow.rows=5000"}));
                    }),
                    "5000"));
}

TEST(Training, MakesAModelWithFactsAndCheckpoints) {
  const auto lab = tiny_lab({"train.checkpoints=[0.5]", "train.epochs=6", "pool.retrained=0"});
  const auto jobs = training_jobs(lab, plan(*lab));
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].images, 2400);
  const pool::Product product = make(jobs[0]).at(0);
  EXPECT_GT(product.facts.at("accuracy").at("train").get<double>(), 0.5);
  EXPECT_EQ(product.facts.at("samples"), 2400);
  const auto last = models::from_safetensors(product.files.at("model.safetensors"), "last");
  const auto half =
      models::from_safetensors(product.files.at("checkpoint-0.5.safetensors"), "half");
  EXPECT_EQ(last.size(), half.size());
  EXPECT_FALSE(torch::equal(last.at("linear2.weight"), half.at("linear2.weight")));
  EXPECT_EQ(make(jobs[0])[0].files, product.files);  // the same bytes again
}

TEST(Training, GroupsModelsIntoOneGraph) {
  const auto lab = tiny_lab({"train.copies=2", "pool.original=3", "pool.retrained=0"});
  const auto jobs = training_jobs(lab, plan(*lab));
  ASSERT_EQ(jobs.size(), 2U);  // two together, one alone
  EXPECT_EQ(jobs[0].models.size(), 2U);
  const auto products = make(jobs[0]);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_NE(products[0].files, products[1].files);
}

TEST(Training, StopsAtAnAccuracy) {
  const auto lab = tiny_lab(
      {"train.until_accuracy=0.6", "train.epochs=50", "pool.retrained=0", "data.memorise=0"});
  const pool::Product product = make(training_jobs(lab, plan(*lab)).at(0)).at(0);
  EXPECT_LT(product.facts.at("samples").get<int>(), 50 * 400);
  EXPECT_GE(product.facts.at("accuracy").at("train").get<double>(), 0.6);
}

TEST(Training, KeepsTheBestEpoch) {
  const auto lab = tiny_lab({"train.select=best_validation", "train.epochs=8", "pool.retrained=0"});
  const pool::Product product = make(training_jobs(lab, plan(*lab)).at(0)).at(0);
  const int epoch = product.facts.at("best_epoch").get<int>();
  EXPECT_GE(epoch, 1);
  EXPECT_LE(epoch, 8);
}

// The sum of all logged updates and the updates of other batches is the whole way from the first
// to the last weights; with every row forgotten but one batch's, the log is nearly the whole way.
TEST(Training, LogsUpdatesOfForgetBatches) {
  const auto lab = tiny_lab(
      {"train.log_forget_updates=true", "forget.count=399", "pool.retrained=0", "train.epochs=1"});
  const auto plans = plan(*lab);
  const pool::Product product = make(training_jobs(lab, plans).at(0)).at(0);
  const auto log = models::from_safetensors(product.files.at("forget_updates.safetensors"), "log");
  const auto last = models::from_safetensors(product.files.at("model.safetensors"), "last");
  Workshop workshop(lab);
  models::NetworkPointer network = workshop.network(lab->recipe.model);
  models::initialise(*network, 0, plans[0].seed);
  const auto first = models::from_safetensors(models::save(*network, 0), "first");
  for (const auto& [name, sum] : log) {
    EXPECT_TRUE(torch::allclose(sum, last.at(name) - first.at(name), 1e-3, 1e-5)) << name;
  }
}

}  // namespace
}  // namespace vestige::train
