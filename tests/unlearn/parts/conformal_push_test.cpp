// The terms that push forget rows out of their prediction sets.
#include "vestige/unlearn/parts/conformal_push.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support.h"
#include "tests/unlearn/bench.h"
#include "vestige/unlearn/table.h"

namespace vestige::unlearn {
namespace {

using testing::UnlearnBench;

// Eq. 9 by hand: S = .3 and .9; q - S = .2 and -.4, cut at -.01.
TEST(ConformalTerm, ByHand) {
  const torch::Tensor p = torch::tensor({0.7, 0.3, 0.1, 0.9}, torch::kFloat64).view({2, 2});
  const torch::Tensor labels = torch::tensor({0, 0}, torch::kInt64);
  EXPECT_NEAR(conformal_term(p, labels, 0.5, 0.01).item<double>(), (0.2 - 0.01) / 2, 1e-12);
}

// Eq. 8 by hand: .5 - .3 = .2, and .1 - .6 = -.5, cut at -.01.
TEST(CarliniWagnerTerm, ByHand) {
  const torch::Tensor p =
      torch::tensor({0.5, 0.3, 0.2, 0.1, 0.6, 0.3}, torch::kFloat64).view({2, 3});
  const torch::Tensor labels = torch::tensor({0, 0}, torch::kInt64);
  EXPECT_NEAR(carlini_wagner_term(p, labels, 0.01).item<double>(), (0.2 - 0.01) / 2, 1e-12);
}

// Nine scores .1 to .9: ceil(10 * .8) = 8th smallest; ceil(10 * .95) = 10 > 9 has no score.
TEST(CalibrationQuantile, ByHand) {
  const torch::Tensor scores =
      torch::tensor({0.9, 0.2, 0.3, 0.1, 0.5, 0.4, 0.7, 0.6, 0.8}, torch::kFloat64);
  EXPECT_DOUBLE_EQ(calibration_quantile(scores, 0.2), 0.8);
  EXPECT_DOUBLE_EQ(calibration_quantile(scores, 0.05), 1.0);
}

TEST(Calibration, ComesFromValidationIfThereIsSome) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const Problem problem = bench.problem();
  const Calibration calibration = draw_calibration(problem, 40);
  EXPECT_EQ(calibration.source, "validation");
  EXPECT_EQ(calibration.rows.size(), 40u);  // 10 of each class
  EXPECT_EQ(calibration.retain, problem.retain);
  for (const std::int64_t row : calibration.rows) EXPECT_GE(row, 800);
}

TEST(Calibration, IsTakenOutOfRetainElse) {
  UnlearnBench& bench = UnlearnBench::of("random");
  Problem problem = bench.problem();
  problem.validation.clear();
  const Calibration calibration = draw_calibration(problem, 40);
  EXPECT_EQ(calibration.source, "retain");
  EXPECT_EQ(calibration.rows.size(), 40u);
  EXPECT_EQ(calibration.retain.size(), 680u);
  std::set<std::int64_t> all(calibration.rows.begin(), calibration.rows.end());
  all.insert(calibration.retain.begin(), calibration.retain.end());
  EXPECT_EQ(all, std::set<std::int64_t>(problem.retain.begin(), problem.retain.end()));
}

// A forgotten class has no say in the threshold.
TEST(Calibration, LeavesAForgottenClassOut) {
  UnlearnBench& bench = UnlearnBench::of("class");
  const Calibration calibration = draw_calibration(bench.problem(), 2000);
  const torch::Tensor counts = bench.samples().class_counts(calibration.rows);
  EXPECT_EQ(counts[0].item<float>(), 0);
  EXPECT_GT(counts[1].item<float>(), 0);
}

// lambda 0 is the host itself, bit for bit and with the same options and defaults.
TEST(ConformalPush, WithoutWeightIsTheHost) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const Json phase = {{"epochs", 1}, {"rate", 0.05}, {"batch", 32}};
  Json relabel = phase;
  relabel["alternate"] = true;
  for (const auto& [host, options] : {std::pair<std::string, Json>{"finetune", phase},
                                      {"random_label", relabel},
                                      {"random_label", phase},
                                      {"retrain", Json::object()}}) {
    Json pushed_options = options;
    pushed_options["lambda"] = 0;
    Problem pushed = bench.problem(), plain = bench.problem();
    const Outcome with = bench.run("conformal_" + host, pushed_options, pushed);
    const Outcome without = bench.run(host, options, plain);
    EXPECT_TRUE(testing::changed(pushed.network, plain.network).empty()) << host;
    EXPECT_EQ(with.cost.samples, without.cost.samples) << host;
  }
}

// Around any method: with weight 0 it is the method, bit for bit; else the term sees a batch of
// forget in every step, or once an epoch, and moves the model further.
TEST(ConformalPush, AnyMethodThatTrainsIsAHost) {
  UnlearnBench& bench = UnlearnBench::of("random");
  for (const auto& [host, options] :
       {std::pair<std::string, Json>{"salun", {{"epochs", 1}, {"rate", 0.01}, {"batch", 80}}},
        {"neggrad_plus", {{"epochs", 2}, {"batch", 80}}},
        {"sfron", {{"epochs", 1}, {"batch", 80}}},
        {"scrub", {{"epochs", 1}, {"batch", 80}}}}) {
    Problem plain = bench.problem(), none = bench.problem(), pushed = bench.problem();
    const Outcome without = bench.run(host, options, plain);
    Json more = options;
    more["conformal_lambda"] = 0;
    (void)bench.run(host + "+conformal", more, none);
    EXPECT_TRUE(testing::changed(none.network, plain.network).empty()) << host;
    more["conformal_lambda"] = 1;
    const Outcome with = bench.run(host + "+conformal", more, pushed);
    EXPECT_FALSE(testing::changed(pushed.network, plain.network).empty()) << host;
    EXPECT_GE(with.cost.samples, without.cost.samples + 80) << host;
    EXPECT_EQ(with.facts.at("calibration").at("source"), "validation") << host;
  }
  Problem problem = bench.problem();
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { (void)bench.run("ssd+conformal", Json::object(), problem); }),
      {"ssd trains nothing", "salun"}));
  EXPECT_TRUE(testing::holds(testing::error_of([] { (void)find_method("cw+conformal"); }),
                             {"'cw' cannot take the conformal term"}));
}

// 720 retained rows in batches of 80 are 9 steps an epoch: the term acts in 2 of 18.
TEST(ConformalPush, MayActOnceAnEpochAndKeepItsThreshold) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const Json options = {{"epochs", 2}, {"rate", 0.05}, {"batch", 80}};
  Problem plain = bench.problem(), seldom = bench.problem(), fixed = bench.problem(),
          often = bench.problem();
  const Outcome without = bench.run("finetune", options, plain);
  Json more = options;
  more["lambda"] = 1;
  more["act"] = "epoch";
  const Outcome with = bench.run("conformal_finetune", more, seldom);
  EXPECT_EQ(with.cost.samples, without.cost.samples + 2 * 80);
  more["act"] = "step";
  more["renew"] = "never";
  const Outcome once = bench.run("conformal_finetune", more, fixed);
  more["renew"] = "step";
  const Outcome each = bench.run("conformal_finetune", more, often);
  EXPECT_EQ(once.cost.samples, without.cost.samples + 18 * 80);
  // The threshold that is never renewed is the original's.
  Problem fresh = bench.problem();
  more["renew"] = "epoch";
  more["epochs"] = 0.05;
  const Outcome first = bench.run("conformal_finetune", more, fresh);
  EXPECT_EQ(once.facts.at("threshold"), first.facts.at("threshold"));
  EXPECT_NE(each.facts.at("threshold"), once.facts.at("threshold"));
}

// The term sees one batch of forget at every step of the host, in both of its phases: 80 forget
// rows are one batch of 80, 720 retained ones 9.
TEST(ConformalPush, TheTermIsInEveryStep) {
  UnlearnBench& bench = UnlearnBench::of("random");
  Problem pushed = bench.problem(), plain = bench.problem();
  const Json options = {{"epochs", 1}, {"rate", 0.01}, {"batch", 80}, {"alternate", true}};
  Json more = options;
  more["lambda"] = 1;
  const Outcome with = bench.run("conformal_random_label", more, pushed);
  const Outcome without = bench.run("random_label", options, plain);
  EXPECT_EQ(with.cost.steps, without.cost.steps);
  EXPECT_EQ(without.cost.steps, 10);
  EXPECT_EQ(with.cost.samples, without.cost.samples + 80 * 10);
  EXPECT_FALSE(testing::changed(pushed.network, plain.network).empty());
}

}  // namespace
}  // namespace vestige::unlearn
