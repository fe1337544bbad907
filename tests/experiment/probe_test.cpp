// Estimates of audits: what a few models take, drawn out to as many as the arm has.
#include "vestige/experiment/probe.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/family.h"

namespace vestige::experiment {
namespace {

/// Of one model in a group.
constexpr std::chrono::milliseconds kSleep(10);

metrics::Measurements sleep_over(const metrics::Comparison& comparison, const metrics::Request&,
                                 Progress&) {
  std::this_thread::sleep_for(comparison.candidate.size() * kSleep);
  return {};
}

/// Groups of models, 10 ms for each of their models.
metrics::Family sleeping_family() {
  metrics::Family family;
  family.name = "sleeper";
  family.summary = "a family of the tests";
  family.metrics = {{.id = "sleeper.none",
                     .direction = metrics::Direction::match,
                     .ideal = metrics::kUndefined,
                     .name = "nothing",
                     .what = "nothing"}};
  family.support = [](const evidence::Evidence&) { return metrics::Support{true, ""}; };
  family.prepare = metrics::each(sleep_over);
  family.unit = metrics::Unit::group;
  return family;
}

// By hand: 64 originals, 64 retrained and 64 unlearned models are 192 times 10 ms, 1.92 s; the few
// that are tried take 0.13 s. No upper limit, and half of it as the lower one: other work on the
// machine may make any of the tries longer.
TEST(ProbeAudit, GrowsWithTheModelsOfAGroup) {
  const metrics::AddedFamily added(sleeping_family());
  Json recipe = testing::tiny_recipe();
  recipe["pool"] = {{"original", 64}, {"retrained", 64}};
  recipe["bench"]["metrics"] = {"sleeper"};
  const Experiment many = open(make_plan(recipe, "tiny.toml", {}), "cpu");
  const double seconds = probe_audit(many.arms.front(), many.arms.front().plan.audits.front());
  EXPECT_GT(seconds, 0.5 * 1.92);
}

metrics::Measurements sleep_by_square(const metrics::Comparison& comparison,
                                      const metrics::Request&, Progress&) {
  const auto thousands =
      static_cast<double>(comparison.evidence->labels.at("retain").size()) / 1000.0;
  std::this_thread::sleep_for(4 * thousands * thousands * kSleep);
  return {};
}

// By hand: 16,000 kept rows are 16^2 times 40 ms, 10 s, for each of four models one after the
// other, 41 s. A trial of 1,000 rows takes 0.16 s and says 2.6 s in proportion: well above that is
// asked for, and not more, because what a run takes besides sleeping hides a part of the power. No
// upper limit, as above.
TEST(ProbeAudit, GrowsFasterThanTheRowsWhereTheFamilyDoes) {
  metrics::Family square = sleeping_family();
  square.prepare = metrics::each(sleep_by_square);
  square.unit = metrics::Unit::model;
  const metrics::AddedFamily added(square);
  Json recipe = testing::tiny_recipe();
  recipe["data"]["rows"] = 16100;
  recipe["data"]["distinct"] = 100;
  recipe["data"]["height"] = recipe["data"]["width"] = 2;
  recipe["split"]["train"] = 16012;
  recipe["collect"] = {{"rows", 0}};
  recipe["bench"]["metrics"] = {"sleeper"};
  const Experiment large = open(make_plan(recipe, "tiny.toml", {}), "cpu");
  ASSERT_EQ(large.arms.front().lab->split.part("retain").size(), 16000U);
  set_threads(1);
  const double seconds = probe_audit(large.arms.front(), large.arms.front().plan.audits.front());
  set_threads(0);
  EXPECT_GT(seconds, 1.3 * 2.6);
}

}  // namespace
}  // namespace vestige::experiment
