// Verdicts on evidence whose answer is known.
#include "vestige/audit/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/base/seed.h"
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

/// Every value a hair off: what a model says that is like another one and no copy of it.
void copy_nearly(EvidenceFolder& folder, const std::string& from, const std::string& to) {
  copy_model(folder, from, to);
  for (const std::string& split : kSplits) {
    folder.change(to + "/" + split, [&](std::vector<double>& values) {
      Stream stream(1, "nearly." + to + "." + split);
      for (double& value : values) value += 0.002 * stream.normal();
    });
  }
}

/// `copy` says nearly what retrained says, `nothing` what the original says, `constant` always
/// class 0.
struct Known : EvidenceFolder {
  explicit Known(std::size_t models) : EvidenceFolder(shape(models)) {
    for (std::size_t model = 0; model < models; ++model) {
      const std::string name = std::to_string(model);
      copy_nearly(*this, "retrained/" + name, "unlearned/copy/" + name);
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
  EXPECT_TRUE(holds(copy.sentence, {"copy: forgotten, like retraining: within the declared margin",
                                    "a quarter", "Yardstick: rows that nobody saw"}));
  EXPECT_EQ(copy.word, Word::forgotten);
  EXPECT_EQ(copy.form, Form::unseen);

  const Verdict nothing = of(result, "nothing");
  EXPECT_EQ(nothing.under, Shown::shown) << nothing.sentence;
  EXPECT_NE(nothing.over, Shown::shown);
  EXPECT_EQ(nothing.equivalent, Shown::not_shown);
  EXPECT_TRUE(holds(nothing.sentence, {"nothing: traces remain", "retrained", "original"}));

  const Verdict constant = of(result, "constant");
  EXPECT_EQ(nothing.word, Word::traces);
  EXPECT_TRUE(nothing.hardly_changed) << nothing.sentence;
  EXPECT_FALSE(copy.hardly_changed);
  EXPECT_EQ(constant.word, Word::over);
  EXPECT_EQ(constant.over, Shown::shown) << constant.sentence;
  EXPECT_NE(constant.under, Shown::shown) << constant.sentence;
  EXPECT_EQ(constant.utility_loss, Shown::shown);
  EXPECT_EQ(constant.equivalent, Shown::not_shown);
  EXPECT_TRUE(holds(constant.sentence, {"constant: over-forgetting", "it has collapsed",
                                        "are class 0", "Utility is lost"}));
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
  EXPECT_TRUE(metrics.count("yardstick.probability") == 1);
  EXPECT_TRUE(metrics.count("yardstick.right") == 1);
  EXPECT_FALSE(metrics.count("iam.online.mean.forget") == 1)
      << "one model a side: nothing but unseen rows can say what chance does";
  EXPECT_FALSE(metrics.count("attacks.random.auc") == 1);
}

// More models bring the other metrics in; they never weaken what unseen rows show.
TEST(Verdicts, ModelsBringOtherMetricsIn) {
  const Verdict nothing = of(run(Known(3)), "nothing");
  EXPECT_TRUE(std::any_of(nothing.tests.begin(), nothing.tests.end(), [](const VerdictTest& test) {
    return test.metric == "iam.online.mean.forget" && !test.core && test.level == 0.01;
  }));
  EXPECT_EQ(nothing.word, Word::traces) << nothing.sentence;
}

// A verdict's guards are computed whatever was asked for: at 0.1.0 this model had "traces remain".
TEST(Verdicts, GuardsDoNotDependOnWhatWasAsked) {
  const Known folder(1);
  const AuditResult result =
      audit(evidence::load(folder.path()).evidence, {.metrics = {"iam.online.auc"}});
  const Verdict constant = of(result, "constant");
  EXPECT_EQ(constant.word, Word::over) << constant.sentence;
  EXPECT_EQ(constant.utility_loss, Shown::shown);
  EXPECT_NE(constant.under, Shown::shown);
  for (const metrics::Row& row : result.rows) EXPECT_EQ(row.metric, "iam.online.auc");
}

/// Every row of the model one place further: answers as various as before, and right by chance.
void shift_rows(EvidenceFolder& folder, const std::string& key, std::size_t classes) {
  folder.change(key, [classes](std::vector<double>& values) {
    std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(classes),
                values.end());
  });
}

TEST(Verdicts, AScrambledModelHasNone) {
  Known folder(1);
  for (const std::string& split : kSplits) shift_rows(folder, "unlearned/copy/0/" + split, 5);
  const Verdict verdict = of(run(folder), "copy");
  EXPECT_EQ(verdict.word, Word::no_verdict) << verdict.sentence;
  EXPECT_NE(verdict.under, Shown::shown);
  EXPECT_NE(verdict.over, Shown::shown);
  EXPECT_TRUE(holds(verdict.sentence, {"another order", "vestige inspect"}));
}

/// The verdict of `copy` after rows of a split of some models were put into another order.
Verdict with_shifted(const std::string& model, const std::string& split) {
  Known folder(1);
  shift_rows(folder, model + "/" + split, 5);
  return of(run(folder), "copy");
}

// Test rows in another order make every forgotten row look known: it was "traces remain".
TEST(Verdicts, UnseenRowsInAnotherOrderLeaveNone) {
  const Verdict verdict = with_shifted("unlearned/copy/0", "test");
  EXPECT_EQ(verdict.word, Word::no_verdict) << verdict.sentence;
  EXPECT_TRUE(verdict.tests.empty());
  EXPECT_TRUE(holds(verdict.sentence, {"copy: no verdict: unlearned/copy/0/test.npy is right in",
                                       "another order than labels/test"}));
  for (const char* model : {"original/0", "retrained/0"}) {
    for (const std::string split : {"forget", "test"}) {
      const Verdict other = with_shifted(model, split);
      EXPECT_EQ(other.word, Word::no_verdict) << other.sentence;
      EXPECT_TRUE(holds(other.sentence, {std::string(model) + "/" + split + ".npy is right in"}));
    }
  }
}

// Forget rows of the method alone may be over-forgotten or in another order: both are said.
TEST(Verdicts, ForgetRowsInAnotherOrderAreDoubted) {
  const Verdict verdict = with_shifted("unlearned/copy/0", "forget");
  EXPECT_EQ(verdict.word, Word::over) << verdict.sentence;
  EXPECT_TRUE(holds(verdict.sentence, {"Caution: its forget rows", "W-ORDER"}));
}

// Labels of one class: every model is right by chance alone, and none is ruined.
TEST(Verdicts, OneClassIsNoRuin) {
  Known folder(1);
  for (const std::string& split : kSplits) {
    folder.put_labels(split, std::vector<std::int64_t>(folder.array("labels/" + split).size(), 0));
  }
  const Verdict constant = of(run(folder), "constant");  // says class 0: all right
  EXPECT_NE(constant.word, Word::no_verdict) << constant.sentence;
  EXPECT_NE(constant.word, Word::over) << constant.sentence;
}

// Without rows that nobody saw, one retrained model shows nothing.
TEST(Verdicts, WithoutUnseenRowsOneRetrainedModelShowsNothing) {
  Known folder(1);
  for (const auto& [key, array] : std::map(folder.arrays())) {
    if (key.ends_with("/test")) folder.remove(key);
  }
  const Verdict nothing = of(run(folder), "nothing");
  EXPECT_EQ(nothing.under, Shown::inconclusive) << nothing.sentence;
  EXPECT_EQ(nothing.word, Word::not_decided);
  EXPECT_TRUE(holds(nothing.sentence, {"rows that nobody saw"}));
}

// Forget rows are a random draw here: the model alone can be accused, and never acquitted.
TEST(Verdicts, AloneWhereForgetRowsAreARandomDraw) {
  Known folder(1);
  copy_model(folder, "retrained/0", "unlearned/fresh/0");
  remove_group(folder, "retrained");
  folder.put_file("evidence.toml", "kind = \"logits\"\nexchangeable = true\n");
  const AuditResult result = run(folder);
  const Verdict nothing = of(result, "nothing"), fresh = of(result, "fresh");
  EXPECT_EQ(nothing.word, Word::traces) << nothing.sentence;
  EXPECT_EQ(nothing.form, Form::alone);
  EXPECT_EQ(fresh.word, Word::not_decided) << fresh.sentence;
  EXPECT_NE(fresh.equivalent, Shown::shown);
  EXPECT_TRUE(holds(fresh.sentence, {"no trace found above", "of the original's"}));
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
      holds(verdict.sentence, {"not decided", "failing to find a difference is not forgetting"}));
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
  copy_nearly(folder, "retrained/0", "original/0");
  const Verdict verdict = of(run(folder), "copy");
  EXPECT_EQ(verdict.equivalent, Shown::inconclusive);
  EXPECT_TRUE(holds(verdict.sentence, {"no measure on this evidence can tell"}));
  EXPECT_TRUE(holds(verdict.cannot, {"Left out", "answered right"}));
  // Rows that nobody saw are there, and must not be called missing.
  EXPECT_EQ(verdict.cannot.find("no rows that nobody saw"), std::string::npos) << verdict.cannot;
}

/// The verdict of `method` after a change of evidence with one model a side.
template <typename Change>
Verdict after(const std::string& method, std::size_t models, const Change& change) {
  Known folder(models);
  change(folder);
  return of(run(folder), method);
}

void has_no_verdict(const Verdict& verdict) {
  EXPECT_EQ(verdict.word, Word::no_verdict) << verdict.sentence;
  EXPECT_EQ(verdict.under, Shown::inconclusive);
  EXPECT_EQ(verdict.over, Shown::inconclusive);
  EXPECT_EQ(verdict.equivalent, Shown::inconclusive);
  EXPECT_EQ(verdict.utility_loss, Shown::inconclusive);
  EXPECT_TRUE(verdict.tests.empty());
  EXPECT_EQ(verdict.form, Form::none);
}

// A retrained model under the name of a method was FORGOTTEN: it was compared with itself.
TEST(Verdicts, ARetrainedModelUnderAnotherNameHasNone) {
  const Verdict verdict = after("copy", 1, [](EvidenceFolder& folder) {
    copy_model(folder, "retrained/0", "unlearned/copy/0");
  });
  has_no_verdict(verdict);
  EXPECT_EQ(verdict.same_as, "retrained/0");
  EXPECT_TRUE(holds(verdict.sentence,
                    {"copy: no verdict: unlearned/copy/0/calibration.npy holds the very values of "
                     "retrained/0/calibration.npy (so do forget, retain, test): compared with "
                     "itself a model shows nothing",
                     "export what the unlearned model says"}));
  EXPECT_EQ(verdict.cannot.find("no rows that nobody saw"), std::string::npos) << verdict.cannot;
}

// One of three models is a copy, or forget rows alone are.
TEST(Verdicts, OneCopyIsEnough) {
  has_no_verdict(after("copy", 3, [](EvidenceFolder& folder) {
    copy_model(folder, "retrained/2", "unlearned/copy/1");
  }));
  const Verdict mixed = after("nothing", 1, [](EvidenceFolder& folder) {
    folder.put("unlearned/nothing/0/forget", folder.array("retrained/0/forget"));
  });
  has_no_verdict(mixed);
  EXPECT_TRUE(holds(mixed.sentence, {"unlearned/nothing/0/forget.npy", "mixed up"}));
}

TEST(Verdicts, AnOriginalThatIsARetrainedModelLeavesNone) {
  const Verdict verdict = after(
      "copy", 1, [](EvidenceFolder& folder) { copy_model(folder, "original/0", "retrained/0"); });
  has_no_verdict(verdict);
  EXPECT_TRUE(holds(verdict.sentence, {"retrained/0/calibration.npy holds the very values of "
                                       "original/0/calibration.npy"}));
}

// Two equal retrained models are one: verdict and limits are those of evidence without the second.
TEST(Verdicts, NothingIsGainedFromATwin) {
  Known once(2), twice(2);
  for (const std::string& split : kSplits) once.remove("retrained/1/" + split);
  copy_model(twice, "retrained/0", "retrained/1");
  const Verdict one = of(run(once), "copy"), two = of(run(twice), "copy");
  EXPECT_EQ(two.sentence, one.sentence);
  EXPECT_EQ(two.cannot, one.cannot);
  ASSERT_EQ(two.tests.size(), one.tests.size());
  for (std::size_t i = 0; i < one.tests.size(); ++i) {
    EXPECT_EQ(two.tests[i].difference.lower, one.tests[i].difference.lower);
    EXPECT_EQ(two.tests[i].difference.upper, one.tests[i].difference.upper);
  }
}

/// `share` of the rows of every split of the method answered with the next class.
void spoil(EvidenceFolder& folder, const std::string& method, std::size_t models, double share) {
  for (std::size_t model = 0; model < models; ++model) {
    for (const std::string& split : kSplits) {
      const auto labels = folder.array("labels/" + split).integers();
      const std::string key = "unlearned/" + method + "/" + std::to_string(model) + "/" + split;
      folder.change(key, [&](std::vector<double>& values) {
        Stream stream(model, "spoil." + split);
        for (std::size_t row = 0; row < labels.size(); ++row) {
          if (stream.uniform() < share)
            values[row * 5 + static_cast<std::size_t>((labels[row] + 1) % 5)] = 20;
        }
      });
    }
  }
}

// Worse on everything is worse on forget rows too. With several models accuracy on forget rows
// alone was read as over-forgetting, whatever became of rows that nobody saw.
TEST(Verdicts, WorseOnEverythingIsNotOverForgotten) {
  const Verdict verdict =
      after("copy", 5, [](EvidenceFolder& folder) { spoil(folder, "copy", 5, 0.3); });
  EXPECT_NE(verdict.over, Shown::shown) << verdict.sentence;
  EXPECT_EQ(verdict.utility_loss, Shown::shown) << verdict.sentence;
  EXPECT_TRUE(std::any_of(verdict.tests.begin(), verdict.tests.end(), [](const VerdictTest& test) {
    return test.metric == "utility.accuracy.forget" && test.shows == Leaning::none &&
           test.what.find("minus the same on unseen rows") != std::string::npos;
  })) << verdict.sentence;
}

// A loss that one model shows is shown by two and by three: Welch's t over as few models has two to
// four degrees of freedom, and called the same models FORGOTTEN.
TEST(Verdicts, MoreModelsDoNotHideALossOfUtility) {
  for (const std::size_t models : {1U, 2U, 3U}) {
    const Verdict verdict = after(
        "copy", models, [models](EvidenceFolder& folder) { spoil(folder, "copy", models, 0.12); });
    EXPECT_EQ(verdict.utility_loss, Shown::shown) << models << ": " << verdict.sentence;
    EXPECT_NE(verdict.word, Word::forgotten) << models << ": " << verdict.sentence;
  }
}

// Surer of every other forget row and less sure of the rest: right on average, and not forgotten.
TEST(Verdicts, UnevenForgettingIsNotForgotten) {
  Known folder(1);
  const auto& labels = folder.array("labels/forget").integers();
  folder.change("unlearned/copy/0/forget", [&labels](std::vector<double>& values) {
    for (std::size_t row = 0; row < labels.size(); ++row) {
      values[row * 5 + static_cast<std::size_t>(labels[row])] += row % 2 == 0 ? 9 : -9;
    }
  });
  const Verdict verdict = of(run(folder), "copy");
  EXPECT_NE(verdict.equivalent, Shown::shown) << verdict.sentence;
}

// The smallest effect: a third of the rows as the original knows them is certain, and a third of
// what could be left.
TEST(Verdicts, NothingBelowTheSmallestEffectIsShown) {
  EvidenceShape large = shape(1);
  large.forget = 900;
  large.test = 900;
  large.methods = {"third"};
  EvidenceFolder folder(large);
  copy_nearly(folder, "retrained/0", "unlearned/third/0");
  const std::vector<double> original = folder.array("original/0/forget").doubles();
  folder.change("unlearned/third/0/forget", [&original](std::vector<double>& values) {
    for (std::size_t row = 0; row < 900; row += 3) {
      for (std::size_t c = row * 5; c < row * 5 + 5; ++c) values[c] = original[c];
    }
  });
  const Verdict plain = of(run(folder), "third");
  EXPECT_EQ(plain.under, Shown::shown) << plain.sentence;
  const Verdict strict = of(run(folder, {{"verdict.smallest_effect", 0.6}}), "third");
  EXPECT_NE(strict.under, Shown::shown) << strict.sentence;
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
