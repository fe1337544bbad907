// Verdicts on evidence whose answer is known.
#include "vestige/audit/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/evidence/reader.h"

namespace vestige::audit {
namespace {

using testing::array_of;
using testing::error_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::holds;

const std::vector<std::string> kSplits = {"forget", "retain", "test", "calibration"};

void copy_model(EvidenceFolder& folder, const std::string& from, const std::string& to) {
  for (const std::string& split : kSplits) {
    folder.put(to + "/" + split, folder.array(from + "/" + split));
  }
}

void remove_group(EvidenceFolder& folder, const std::string& prefix) {
  const auto arrays = folder.arrays();
  for (const auto& [key, array] : arrays) {
    if (key.starts_with(prefix + "/")) folder.remove(key);
  }
}

/// Every answer the same: class 0.
void put_constant(EvidenceFolder& folder, const std::string& to, std::size_t classes) {
  for (const std::string& split : kSplits) {
    const std::size_t rows = folder.array("labels/" + split).size();
    std::vector<double> logits;
    for (std::size_t i = 0; i < rows * classes; ++i) logits.push_back(i % classes == 0 ? 3 : 0);
    folder.put(to + "/" + split, array_of(evidence::DType::float32, logits, {rows, classes}));
  }
}

/// Without the slow families that these verdicts do not need.
AuditResult run(const EvidenceFolder& folder, Json options = Json::object()) {
  std::vector<std::string> metrics = {"utility", "conformal", "attacks", "iam"};
  const auto evidence = evidence::load(folder.path()).evidence;
  if (evidence.find("shadow") == nullptr) metrics.pop_back();
  if (evidence.find("retrained") != nullptr && evidence.find("retrained")->models.size() > 2) {
    metrics.emplace_back("epsilon");
  }
  return audit(evidence, {std::move(metrics), 1, std::move(options)});
}

Verdict of(const AuditResult& result, const std::string& method) {
  for (const Verdict& verdict : result.verdicts) {
    if (verdict.method == method) return verdict;
  }
  ADD_FAILURE() << "no verdict of " << method;
  return {};
}

EvidenceShape shape(std::size_t models) {
  return {.classes = 5,
          .models = models,
          .shadows = 2,
          .forget = 150,
          .retain = 200,
          .test = 200,
          .methods = {"copy", "nothing", "constant"}};
}

/// `copy` says what retrained says, `nothing` what the original says, `constant` always class 0.
struct Known : EvidenceFolder {
  explicit Known(std::size_t models) : EvidenceFolder(shape(models)) {
    for (std::size_t model = 0; model < models; ++model) {
      const std::string name = std::to_string(model);
      copy_model(*this, "retrained/" + name, "unlearned/copy/" + name);
      copy_model(*this, "original/" + name, "unlearned/nothing/" + name);
      put_constant(*this, "unlearned/constant/" + name, 5);
    }
  }
};

void check_known(const AuditResult& result) {
  const Verdict copy = of(result, "copy");
  EXPECT_EQ(copy.equivalent, Shown::shown) << copy.sentence;
  EXPECT_EQ(copy.under, Shown::not_shown);
  EXPECT_EQ(copy.over, Shown::not_shown);
  EXPECT_NE(copy.utility_loss, Shown::shown);
  EXPECT_TRUE(
      holds(copy.sentence, {"copy: like retraining within the declared margin", "a quarter"}));

  const Verdict nothing = of(result, "nothing");
  EXPECT_EQ(nothing.under, Shown::shown) << nothing.sentence;
  EXPECT_NE(nothing.over, Shown::shown);
  EXPECT_EQ(nothing.equivalent, Shown::not_shown);
  EXPECT_TRUE(holds(nothing.sentence, {"nothing: traces remain", "retrained", "original"}));

  const Verdict constant = of(result, "constant");
  EXPECT_EQ(constant.over, Shown::shown) << constant.sentence;
  EXPECT_NE(constant.under, Shown::shown) << constant.sentence;
  EXPECT_EQ(constant.utility_loss, Shown::shown);
  EXPECT_EQ(constant.equivalent, Shown::not_shown);
  EXPECT_TRUE(holds(constant.sentence, {"constant: over-forgetting", "Utility is lost"}));
  for (const Verdict& verdict : result.verdicts) {
    EXPECT_FALSE(verdict.tests.empty());
    EXPECT_EQ(verdict.subject.id(), "unlearned/" + verdict.method);
    EXPECT_FALSE(verdict.cannot.empty());
  }
}

TEST(Verdicts, KnownMethodsWithOneModelEach) { check_known(run(Known(1))); }

TEST(Verdicts, KnownMethodsWithPools) { check_known(run(Known(12))); }

TEST(Verdicts, TestsCarryTheirNumbers) {
  const Verdict nothing = of(run(Known(1)), "nothing");
  std::set<std::string> metrics;
  for (const VerdictTest& test : nothing.tests) {
    metrics.insert(test.metric);
    EXPECT_NEAR(test.difference.estimate, test.method - test.retrained, 1e-9) << test.metric;
    EXPECT_LE(test.difference.lower, test.difference.lower90 + 1e-12);
    EXPECT_LE(test.difference.lower90, test.difference.upper90);
    if (test.shows == Leaning::utility_loss || test.original != test.original) continue;
    EXPECT_NEAR(test.margin, 0.25 * std::abs(test.original - test.retrained), 1e-12);
    EXPECT_GE(test.holm, test.difference.p);
  }
  EXPECT_TRUE(metrics.count("utility.accuracy.forget") == 1);
  EXPECT_TRUE(metrics.count("iam.online.mean.forget") == 1);
  EXPECT_FALSE(metrics.count("conformal.cr.forget") == 1) << "one model: q is taken as fixed";
  EXPECT_FALSE(metrics.count("attacks.random.auc") == 1);
}

EvidenceShape without_methods(std::size_t forget_rows) {
  EvidenceShape small = shape(2);
  small.forget = forget_rows;
  small.methods = {};
  return small;
}

/// retrained/1 as a method: a fresh model that never saw the rows.
struct Fresh : EvidenceFolder {
  explicit Fresh(std::size_t forget_rows) : EvidenceFolder(without_methods(forget_rows)) {
    copy_model(*this, "retrained/1", "unlearned/fresh/0");
    for (const char* model : {"retrained/1", "original/1"}) remove_group(*this, model);
  }
};

TEST(Verdicts, NoiseIsInconclusive) {
  const Verdict verdict = of(run(Fresh(40)), "fresh");
  EXPECT_NE(verdict.under, Shown::shown) << verdict.sentence;
  EXPECT_NE(verdict.over, Shown::shown) << verdict.sentence;
  EXPECT_EQ(verdict.equivalent, Shown::inconclusive) << verdict.sentence;
  EXPECT_TRUE(
      holds(verdict.sentence, {"inconclusive", "failing to find a difference is not forgetting"}));
  EXPECT_TRUE(holds(verdict.cannot, {"One retrained model"}));
}

// The interval of CR over rows takes the threshold q as fixed. Where q comes from few calibration
// rows it moves CR far more than that: with 200 of them this fresh model's CR differed "by test".
TEST(Verdicts, CalibrationNoiseIsNoFinding) {
  const Verdict verdict = of(run(Fresh(400)), "fresh");
  EXPECT_NE(verdict.under, Shown::shown) << verdict.sentence;
  EXPECT_NE(verdict.over, Shown::shown) << verdict.sentence;
}

TEST(Verdicts, AWiderMarginMayShowEquivalence) {
  const Fresh folder(400);
  const Verdict narrow = of(run(folder, {{"verdict.margin", 0.02}}), "fresh");
  EXPECT_EQ(narrow.equivalent, Shown::inconclusive) << narrow.sentence;
  const Verdict wide = of(run(folder, {{"verdict.margin", 0.6}}), "fresh");
  EXPECT_EQ(wide.equivalent, Shown::shown) << wide.sentence;
  EXPECT_TRUE(holds(wide.sentence, {"0.6 times the distance"}));
}

TEST(Verdicts, WithoutRetrainedThereIsNone) {
  Known folder(1);
  remove_group(folder, "retrained");
  const Verdict shadows = of(run(folder), "nothing");
  EXPECT_EQ(shadows.under, Shown::inconclusive);
  EXPECT_TRUE(shadows.tests.empty());
  EXPECT_TRUE(holds(shadows.sentence, {"nothing: no verdict", "without a retrained model"}));
  EXPECT_TRUE(holds(shadows.cannot, {"Shadow models"}));
  remove_group(folder, "shadow");
  EXPECT_TRUE(holds(of(run(folder), "nothing").cannot, {"unlearned model alone"}));
}

TEST(Verdicts, WithoutOriginalOnlyUtilityCanBeShown) {
  Known folder(1);
  remove_group(folder, "original");
  const AuditResult result = run(folder);
  EXPECT_TRUE(holds(of(result, "nothing").sentence, {"no verdict", "without the original"}));
  const Verdict constant = of(result, "constant");
  EXPECT_EQ(constant.utility_loss, Shown::shown);
  EXPECT_EQ(constant.equivalent, Shown::not_shown);
  EXPECT_TRUE(holds(constant.sentence, {"Utility is lost: retain accuracy"}));
}

// Originals that say what retrained models say: no measure sees anything, so none may speak.
TEST(Verdicts, MeasuresThatFailTheirControlsAreLeftOut) {
  Known folder(1);
  copy_model(folder, "retrained/0", "original/0");
  const Verdict verdict = of(run(folder), "copy");
  EXPECT_EQ(verdict.equivalent, Shown::inconclusive);
  EXPECT_TRUE(holds(verdict.sentence, {"no measure on this evidence can tell"}));
  EXPECT_TRUE(holds(verdict.cannot, {"Left out", "accuracy on forgotten rows"}));
}

// Right as often as retrained says nothing of what an attack sees.
TEST(Verdicts, AccuracyAloneShowsNoEquivalence) {
  const Known evidence_folder(1);
  const AuditResult result =
      audit(evidence::load(evidence_folder.path()).evidence, {.metrics = {"utility.accuracy"}});
  const Verdict copy = of(result, "copy");
  EXPECT_EQ(copy.equivalent, Shown::inconclusive);
  EXPECT_EQ(copy.under, Shown::inconclusive);
  EXPECT_EQ(of(result, "nothing").under, Shown::shown) << "but a difference can be shown";
}

TEST(Verdicts, OptionsAreChecked) {
  EXPECT_EQ(verdict_options(Json::object(), 7).margin, 0.25);
  EXPECT_EQ(verdict_options(Json::object(), 7).seed, 7U);
  EXPECT_TRUE(holds(error_of([] {
                      verdict_options({{"verdict.margin", 0}}, 1);
                    }),
                    {"verdict.margin is 0", "between 0 and 1"}));
  EXPECT_TRUE(holds(error_of([] {
                      verdict_options({{"verdict.utility_margin", "x"}}, 1);
                    }),
                    {"verdict.utility_margin", "must be a number"}));
}

}  // namespace
}  // namespace vestige::audit
