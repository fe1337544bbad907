// Models of a recipe: who they are, and that their jobs make them.
#include "vestige/train/training.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/models/checkpoint.h"
#include "vestige/models/safetensors.h"

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

TEST(Plan, WhatShapesAModelChangesItsName) {
  const std::string name = plan(*tiny_lab())[0].identity.name();
  for (const char* change : {"seed=2", "train.rate=0.1", "train.threads=2", "train.copies=1",
                             "model.width=5", "split.train=401", "data.seed=1"}) {
    const bool same = std::string(change) == "train.copies=1";  // one per graph is the default
    EXPECT_EQ(plan(*tiny_lab({change}))[0].identity.name() == name, same) << change;
  }
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
