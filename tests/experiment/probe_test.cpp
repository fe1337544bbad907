// Estimates of audits: what a few models take, drawn out to as many as the arm has.
#include "vestige/experiment/probe.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/experiment/tiny_experiment.h"
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

}  // namespace
}  // namespace vestige::experiment
