// Probes: what each does to weights, their jobs, and what becomes of them in the evidence.
#include "vestige/unlearn/probing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/pool/run.h"
#include "vestige/train/training.h"
#include "vestige/unlearn/treatments.h"

namespace vestige::unlearn {
namespace {

using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;
using testing::tiny_lab;

/// A small network with drawn weights; the last weight matrix is [1, classes, features].
struct SmallNetwork {
  SmallNetwork() : workshop(tiny_lab()), network(workshop.network(workshop.lab().recipe.model)) {
    models::initialise(*network, 0, 5);
  }
  torch::Tensor weight() const {
    torch::Tensor last;
    for (const auto& named : network->named_parameters()) {
      if (named.value().dim() == 3) last = named.value();
    }
    return last;
  }
  torch::Tensor all() const {
    std::vector<torch::Tensor> parts;
    for (const auto& named : network->named_parameters()) {
      if (named.value().dim() >= 3) parts.push_back(named.value().detach().flatten());
    }
    return torch::cat(parts).clone();
  }

  train::Workshop workshop;
  models::NetworkPointer network;
};

// Four bits: numbers from -7 to 7, the scale of a channel is its largest weight over 7. By hand, of
// 1, -0.6, 0.26, 0: 7, -4.2 (to -4), 1.82 (to 2) and 0 sevenths.
TEST(Treatments, RoundingIsSymmetricByChannel) {
  const SmallNetwork small;
  {
    const torch::NoGradGuard no_gradient;
    torch::Tensor weight = small.weight();
    weight.zero_();
    weight[0][0][0] = 1, weight[0][0][1] = -0.6, weight[0][0][2] = 0.26;
    weight[0][1][0] = -2;  // a channel of its own scale
  }
  round_weights(*small.network, 4);
  const torch::Tensor weight = small.weight();
  EXPECT_NEAR(weight[0][0][0].item<double>(), 1, 1e-6);
  EXPECT_NEAR(weight[0][0][1].item<double>(), -4.0 / 7, 1e-6);
  EXPECT_NEAR(weight[0][0][2].item<double>(), 2.0 / 7, 1e-6);
  EXPECT_NEAR(weight[0][1][0].item<double>(), -2, 1e-6);
  EXPECT_EQ(weight[0][2].abs().sum().item<double>(), 0);
}

TEST(Treatments, EightBitsMoveWeightsByHalfAStepAtMost) {
  const SmallNetwork small;
  const torch::Tensor before = small.weight().detach().clone();
  round_weights(*small.network, 8);
  const torch::Tensor step = std::get<0>(before.abs().max(2, true)) / 127;
  EXPECT_TRUE((small.weight() - before).abs().le(step / 2 + 1e-7).all().item<bool>());
}

TEST(Treatments, PruningTakesTheSmallestWeights) {
  const SmallNetwork small;
  const torch::Tensor before = small.all();
  prune_weights(*small.network, 0.5);
  const torch::Tensor after = small.all();
  const double zeros = after.eq(0).sum().item<double>();
  EXPECT_EQ(zeros, static_cast<double>(before.numel() / 2));
  const double largest_gone = before.masked_select(after.eq(0)).abs().max().item<double>();
  const double smallest_kept = before.masked_select(after.ne(0)).abs().min().item<double>();
  EXPECT_LT(largest_gone, smallest_kept);
}

TEST(Treatments, NoiseIsInProportionAndDrawnBySeed) {
  const SmallNetwork first, second, third;
  const torch::Tensor before = first.weight().detach().clone();
  shake_weights(*first.network, 0.1, 3);
  shake_weights(*second.network, 0.1, 3);
  shake_weights(*third.network, 0.1, 4);
  EXPECT_TRUE(torch::equal(first.all(), second.all()));
  EXPECT_FALSE(torch::equal(first.all(), third.all()));
  const torch::Tensor moved = first.weight() - before;
  const double ratio = moved.std().item<double>() / before.std().item<double>();
  // The standard error of a standard deviation is that over sqrt(2 n); four of them.
  const double error = 0.1 / std::sqrt(2.0 * static_cast<double>(before.numel()));
  EXPECT_NEAR(ratio, 0.1, 4 * error);
}

train::Recipe recipe_with(const std::string& probes) {
  return tiny_lab({"probes=" + probes})->recipe;
}

TEST(Probing, ReadsNamesAndTables) {
  const auto probes = chosen_probes(
      recipe_with("['int8', {name='relearn', label='again', rows=7, steps=[1, 3]}]"), {});
  ASSERT_EQ(probes.size(), 2U);
  EXPECT_EQ(probes[0].label, "int8");
  EXPECT_EQ(probes[1].shown, 7);
  EXPECT_EQ(probes[1].stages, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(stage_label(probes[1], 3), "again.3");
  EXPECT_EQ(stage_label(probes[0], 0), "int8");
  const auto only = chosen_probes(recipe_with("['int8', 'noise']"), {"noise", "prune"});
  ASSERT_EQ(only.size(), 2U);
  EXPECT_EQ(only[1].name, "prune");
}

TEST(Probing, RefusesWhatCannotBeMeant) {
  const auto refusal = [](const std::string& probes) {
    return error_of([&] { (void)chosen_probes(recipe_with(probes), {}); });
  };
  EXPECT_TRUE(holds(refusal("['int9']"), "did you mean 'int8'"));
  EXPECT_TRUE(holds(refusal("['int8', 'int8']"), "give each a label"));
  EXPECT_TRUE(holds(refusal("[{name='prune', share=1.5}]"), "between 0 and 1"));
  EXPECT_TRUE(holds(refusal("[{name='prune', shares=0.5}]"), "share"));
  EXPECT_TRUE(holds(refusal("[{name='relearn', steps=[4, 2]}]"), "ascending"));
  EXPECT_TRUE(holds(refusal("[{name='int8', label='a.b'}]"), "without a point"));
  EXPECT_TRUE(holds(refusal("'int8'"), "a list"));
  const auto lab = tiny_lab({"probes=[{name='relearn', rows=39}]"});
  EXPECT_TRUE(
      holds(error_of([&] { (void)plan_probes(*lab, {}, {}, chosen_probes(lab->recipe, {})); }),
            "at least two to measure"));
}

struct ProbedLab {
  ProbedLab()
      : lab(tiny_lab({"methods=['identity']", "pool.original=2",
                      "probes=['int4', {name='relearn', rows=10, steps=[1, 4], batch=8}]"})),
        models(train::plan(*lab)),
        unlearned(plan_unlearning(*lab, models, chosen_methods(lab->recipe, {}))),
        plans(plan_probes(*lab, models, unlearned, chosen_probes(lab->recipe, {}))) {}

  pool::RunSummary run() {
    std::vector<pool::Job> jobs = train::training_jobs(lab, models);
    for (pool::Job& job : unlearning_jobs(lab, models, unlearned, store)) jobs.push_back(job);
    for (pool::Job& job : probing_jobs(lab, plans, store)) jobs.push_back(job);
    return pool::run(*store, jobs, {.progress = false});
  }

  TemporaryFolder folder;
  std::shared_ptr<const train::Lab> lab;
  std::vector<train::ModelPlan> models;
  std::vector<UnlearnPlan> unlearned;
  std::vector<ProbePlan> plans;
  std::shared_ptr<pool::Store> store = std::make_shared<pool::Store>(folder / "pool");
};

// Two originals, one retrained, two runs of a method, each under two probes.
TEST(Probing, OneJobForEveryModelAndTheSameBytesAgain) {
  ProbedLab first, second;
  ASSERT_EQ(first.plans.size(), 10U);
  std::set<std::string> names;
  for (const ProbePlan& plan : first.plans) names.insert(plan.identity.name());
  EXPECT_EQ(names.size(), 10U);
  EXPECT_EQ(first.run().failed, 0U);
  EXPECT_EQ(first.run().made, 0U);  // all is there
  second.run();
  for (const ProbePlan& plan : first.plans) {
    const std::string file = stage_file(plan.probe.stages.empty() ? 0 : 4);
    EXPECT_EQ(first.store->read(plan.identity.name(), file),
              second.store->read(plan.identity.name(), file));
  }
  // An untouched original is its original under any probe.
  const auto of = [&](const std::string& label) {
    const auto found = std::find_if(first.plans.begin(), first.plans.end(),
                                    [&](const auto& plan) { return plan.identity.label == label; });
    return first.store->read(found->identity.name(), stage_file(label.find("int4") < 20 ? 0 : 4));
  };
  EXPECT_EQ(of("probed/int4/original/1"), of("probed/int4/unlearned/identity/1"));
  EXPECT_EQ(of("probed/relearn/original/1"), of("probed/relearn/unlearned/identity/1"));
}

TEST(Probing, RelearningShowsTheSameForgetRowsToAll) {
  const ProbedLab probed;
  const train::Rows& forget = probed.lab->split.part("forget");
  for (const ProbePlan& plan : probed.plans) {
    if (plan.probe.name == "int4") {
      EXPECT_TRUE(plan.shown.empty());
      continue;
    }
    EXPECT_EQ(plan.shown.size(), 10U);
    EXPECT_EQ(plan.shown, probed.plans.back().shown);
    for (const std::int64_t row : plan.shown) {
      EXPECT_NE(std::find(forget.begin(), forget.end(), row), forget.end());
    }
  }
}

}  // namespace
}  // namespace vestige::unlearn
