// Unlearning as jobs: identities, costs, the cut-off, divergence, and what methods need.
#include "vestige/unlearn/unlearning.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/pool/failures.h"
#include "vestige/pool/run.h"
#include "vestige/train/training.h"

namespace vestige::unlearn {
namespace {

using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;
using testing::tiny_lab;

struct Fixture {
  explicit Fixture(const std::vector<std::string>& changes)
      : lab(tiny_lab(changes)), models(train::plan(*lab)) {}

  /// Trains and unlearns everything; the entries of the unlearned models by label.
  std::map<std::string, pool::Entry> run() {
    plans = plan_unlearning(*lab, models, chosen_methods(lab->recipe, {}));
    std::vector<pool::Job> jobs = train::training_jobs(lab, models);
    for (pool::Job& job : unlearning_jobs(lab, models, plans, store)) jobs.push_back(job);
    summary = pool::run(*store, jobs, {.progress = false});
    std::map<std::string, pool::Entry> entries;
    for (const UnlearnPlan& plan : plans) {
      if (store->has(plan.identity.name())) {
        entries[plan.identity.label] = store->find(plan.identity.name()).value();
      }
    }
    return entries;
  }

  TemporaryFolder folder;
  std::shared_ptr<const train::Lab> lab;
  std::vector<train::ModelPlan> models;
  std::shared_ptr<pool::Store> store = std::make_shared<pool::Store>(folder / "pool");
  std::vector<UnlearnPlan> plans;
  pool::RunSummary summary;
};

TEST(Unlearning, OneJobPerOriginalMethodAndSeedWithItsCost) {
  Fixture fixture({"pool.original=2", "unlearn.seeds=2",
                   "methods=['finetune', {name='finetune', label='long', epochs=7}]"});
  const auto entries = fixture.run();
  ASSERT_EQ(entries.size(), 8U);
  const pool::Entry& entry = entries.at("unlearned/long/1.0");
  EXPECT_EQ(entry.facts.at("samples"), 7 * 360);
  EXPECT_GT(entry.facts.at("time_ratio").get<double>(), 0);
  EXPECT_GT(entry.facts.at("accuracy").at("forget").get<double>(), 0);
  EXPECT_EQ(entry.what.at("original"), fixture.models[1].identity.name());
  EXPECT_NE(entry.name, entries.at("unlearned/long/1.1").name);
}

// The name that version 1 of the code gave.
TEST(Unlearning, NamesOfModelsDoNotChange) {
  Fixture fixture({"methods=['finetune']"});
  EXPECT_EQ(plan_unlearning(*fixture.lab, fixture.models, chosen_methods(fixture.lab->recipe, {}))
                .at(0)
                .identity.name(),
            "4cbcf027c7024872b93e");
}

TEST(Unlearning, HistoryHasAPointPerEpochAndChangesNothing) {
  const std::string method = "methods=[{name='finetune', epochs=3}]";
  Fixture plain({method}), watched({method, "unlearn.history=true"});
  const pool::Entry without = plain.run().at("unlearned/finetune/0");
  const pool::Entry with = watched.run().at("unlearned/finetune/0");
  EXPECT_NE(without.name, with.name);
  EXPECT_FALSE(without.facts.contains("history"));
  EXPECT_EQ(plain.store->read(without.name, "model.safetensors"),
            watched.store->read(with.name, "model.safetensors"));
  const Json& history = with.facts.at("history");
  for (const char* part : {"retain", "forget", "test"}) {
    ASSERT_EQ(history.at(part).size(), 3U) << part;
    // The last epoch's model is the result.
    EXPECT_EQ(history.at(part).back(),
              with.facts.at("accuracy").at(std::string(part) == "retain" ? "train" : part));
  }
}

// Conformal paper, D.5: the shadow was trained on the calibration rows too, the semi-shadow is the
// original; both forget the calibration rows as the method forgets the forget rows.
TEST(Unlearning, ShadowCalibrationForgetsTheCalibrationRows) {
  Fixture fixture({"split.calibration=80", "pool.calibration_shadow=true",
                   "pool.calibration_semi_shadow=true", "methods=['finetune']"});
  const auto trained = std::find_if(
      fixture.models.begin(), fixture.models.end(),
      [](const train::ModelPlan& model) { return model.role == "calibration_original"; });
  ASSERT_NE(trained, fixture.models.end());
  EXPECT_EQ(trained->rows.size(), 480U);
  const auto entries = fixture.run();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(fixture.summary.failed, 0U);
  const pool::Entry& usual = entries.at("unlearned/finetune/0");
  const pool::Entry& shadow = entries.at("calibration_shadow/finetune/0");
  const pool::Entry& semi = entries.at("calibration_semi_shadow/finetune/0");
  EXPECT_EQ(shadow.what.at("original"), trained->identity.name());
  EXPECT_EQ(semi.what.at("original"), usual.what.at("original"));
  EXPECT_EQ(shadow.what.at("forget"), semi.what.at("forget"));
  EXPECT_NE(shadow.what.at("forget"), usual.what.at("forget"));
  EXPECT_EQ(shadow.facts.at("samples"), 5 * 400);  // 5 epochs over train
  EXPECT_TRUE(holds(error_of([] {
                      Fixture none({"pool.calibration_semi_shadow=true", "methods=['finetune']"});
                      none.run();
                    }),
                    "give [split] calibration"));
}

TEST(Unlearning, DivergenceCostsItsOwnJobOnly) {
  Fixture fixture({"methods=[{name='finetune', label='wild', rate=1e9}, 'finetune']"});
  const auto entries = fixture.run();
  EXPECT_EQ(entries.size(), 1U);
  EXPECT_EQ(fixture.summary.failed, 1U);
  const auto failure =
      pool::find_failure(fixture.store->folder(), fixture.plans[0].identity.name());
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->label, "unlearned/wild/0");
  EXPECT_TRUE(holds(failure->why, "smaller rate"));
}

TEST(Unlearning, TheCutoffIsEnforcedOnRequest) {
  Fixture fixture({"methods=[{name='finetune', epochs=200}]", "unlearn.enforce_cutoff=true",
                   "unlearn.cutoff=0.001"});
  EXPECT_TRUE(fixture.run().empty());
  const auto failure =
      pool::find_failure(fixture.store->folder(), fixture.plans[0].identity.name());
  ASSERT_TRUE(failure.has_value());
  EXPECT_TRUE(holds(failure->why, "cutoff"));
}

TEST(Unlearning, MethodsSayWhatTheyNeedBeforeAnyWork) {
  const auto problem = [](const std::string& method, std::vector<std::string> changes) {
    changes.push_back("methods=['" + method + "']");
    const Fixture fixture(changes);
    return error_of([&] {
      plan_unlearning(*fixture.lab, fixture.models, chosen_methods(fixture.lab->recipe, {}));
    });
  };
  EXPECT_TRUE(holds(problem("boundary_shrink", {}), "kind = \"class\""));
  EXPECT_TRUE(holds(problem("amnesiac_log", {}), "log_forget_updates"));
  EXPECT_TRUE(holds(problem("amnesiacs", {"split.validation=0"}), "[split] validation"));
  EXPECT_TRUE(holds(problem("kookmin", {"model={name='mlp', widths=[8]}"}), "convolutions"));
}

TEST(Unlearning, LabelsMustDiffer) {
  const auto lab = tiny_lab({"methods=['finetune', 'finetune']"});
  EXPECT_TRUE(holds(error_of([&] { chosen_methods(lab->recipe, {}); }), "give each a label"));
}

}  // namespace
}  // namespace vestige::unlearn
