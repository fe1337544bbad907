// Variants in outline: what few models stand for is counted as all of them.
#include "vestige/experiment/estimates/outline.h"

#include <gtest/gtest.h>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/experiment/estimates/estimate.h"
#include "vestige/experiment/groups.h"

namespace vestige::experiment {
namespace {

// By hand: 1000 x 1 and 100 x 20 share 100; the third lies within the first.
TEST(SharedCount, CountsWhatVariantsShareOnce) {
  SharedCount count;
  EXPECT_EQ(count.add("a", 1000, 1), 1000);
  EXPECT_EQ(count.add("a", 100, 20), 1900);
  EXPECT_EQ(count.add("a", 500, 1), 0);
  EXPECT_EQ(count.add("a", 1000, 2), 900);
  EXPECT_EQ(count.add("b", 7), 7);
}

Experiment tiny(Detail detail) {
  Json recipe = testing::tiny_recipe();
  recipe["pool"] = {{"original", 100}, {"retrained", 70}};
  recipe["methods"] = {"identity", "finetune"};
  recipe["variants"] = Json::array(
      {{{"name", "one run"}, {"set", {{"unlearn", {{"seeds", 1}}}}}},
       {{"name", "few"}, {"set", {{"unlearn", {{"seeds", 3}}}, {"pool", {{"original", 10}}}}}}});
  return open(make_plan(recipe, "tiny.toml", {}), "cpu", detail);
}

std::string last_line(const Experiment& experiment, const testing::TemporaryFolder& folder) {
  pool::Store store(folder / "pool");
  const std::string text = plan_text(experiment, store);
  return text.substr(text.find("models to train") - 10, 60);
}

// By hand: 100 originals and 70 retrained models; each method 100 x 1 and 10 x 3 runs, 120.
TEST(Outline, ListsFewAndCountsAll) {
  const testing::TemporaryFolder folder;
  const Experiment outline = tiny(Detail::outline);
  const Experiment whole = tiny(Detail::whole);
  EXPECT_EQ(outline.variants[0].models.size(), 64U + 64U);
  EXPECT_EQ(whole.variants[0].models.size(), 170U);
  for (const Experiment* experiment : {&outline, &whole}) {
    EXPECT_EQ(model_counts(experiment->variants[0]).at("original"), 100);
    EXPECT_EQ(model_counts(experiment->variants[0]).at("retrained"), 70);
    EXPECT_EQ(run_counts(experiment->variants[0]).at("finetune"), 100);
    EXPECT_EQ(run_counts(experiment->variants[1]).at("finetune"), 30);
    EXPECT_EQ(all_runs(experiment->variants[1]), 60);
    const std::string line = last_line(*experiment, folder);
    EXPECT_NE(line.find("170 models to train and 240 runs"), std::string::npos) << line;
  }
}

// The models that an outline lists are those that the whole plan has: the pool knows them by name.
TEST(Outline, ListsTheSameModels) {
  const Experiment outline = tiny(Detail::outline);
  const Experiment whole = tiny(Detail::whole);
  EXPECT_EQ(outline.variants[0].models[5].identity.name(),
            whole.variants[0].models[5].identity.name());
  EXPECT_EQ(outline.variants[1].unlearned.front().identity.name(),
            whole.variants[1].unlearned.front().identity.name());
}

// By hand, with rates of the table (312,000 pictures of 28 x 28 a second, float32): originals see
// 120 rows and retrained models 108, once, and 56 of the 60 test rows are looked at, each a third
// of a step of training.
TEST(Outline, IsEstimatedAsTheWhole) {
  const testing::TemporaryFolder folder;
  pool::Store store(folder / "pool");
  Probes rated;
  rated.rated = true;
  const TimeEstimate outline = estimate(tiny(Detail::outline), store, 1, rated);
  const TimeEstimate whole = estimate(tiny(Detail::whole), store, 1, rated);
  const double per_second = 312e3 * (28 * 28) / (8 * 8);
  const double images = 100 * (120 + 56.0 / 3) + 70 * (108 + 56.0 / 3);
  EXPECT_NEAR(whole.training * per_second, images, 1e-6 * images);
  EXPECT_NEAR(outline.training, whole.training, 1e-9 * whole.training);
  EXPECT_NEAR(outline.unlearning, whole.unlearning, 1e-9 * whole.unlearning);
  EXPECT_NEAR(outline.collecting, whole.collecting, 1e-9 * whole.collecting);
  EXPECT_NEAR(outline.jobs, whole.jobs, 1e-9 * whole.jobs);
}

}  // namespace
}  // namespace vestige::experiment
