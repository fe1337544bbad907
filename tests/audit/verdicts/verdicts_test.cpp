// Verdicts on evidence whose answer is known.
#include "vestige/words/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/audit/known_methods.h"

namespace vestige::audit {
namespace {

using testing::error_of;
using testing::holds;

void check_known(const AuditResult& result) {
  const Verdict copy = answer_of(result, "copy");
  EXPECT_EQ(copy.equivalent, Outcome::shown) << words::sentence(copy);
  EXPECT_EQ(copy.under, Outcome::excluded);
  EXPECT_EQ(copy.over, Outcome::excluded);
  EXPECT_NE(copy.utility_loss, Outcome::shown);
  EXPECT_TRUE(holds(words::sentence(copy),
                    {"copy: forgotten, like retraining. Within the declared margin",
                     "25 % of the original-retrained difference", "gap to unseen examples"}));
  EXPECT_EQ(copy.word, Word::forgotten);
  EXPECT_EQ(copy.form, Form::unseen);

  const Verdict nothing = answer_of(result, "nothing");
  EXPECT_EQ(nothing.under, Outcome::shown) << words::sentence(nothing);
  EXPECT_NE(nothing.over, Outcome::shown);
  EXPECT_EQ(nothing.equivalent, Outcome::excluded);
  EXPECT_TRUE(holds(words::sentence(nothing), {"nothing: traces remain", "retrained", "original"}));

  const Verdict constant = answer_of(result, "constant");
  EXPECT_EQ(nothing.word, Word::traces_remain);
  EXPECT_TRUE(nothing.hardly_changed) << words::sentence(nothing);
  EXPECT_FALSE(copy.hardly_changed);
  EXPECT_EQ(constant.word, Word::collapsed);
  EXPECT_EQ(constant.over, Outcome::not_tested) << words::sentence(constant);
  EXPECT_EQ(constant.under, Outcome::not_tested) << words::sentence(constant);
  EXPECT_EQ(constant.utility_loss, Outcome::shown);
  EXPECT_EQ(constant.equivalent, Outcome::excluded);
  EXPECT_TRUE(
      holds(words::sentence(constant), {"constant: collapsed", "are class 0", "Utility is lost"}));
  for (const Verdict& verdict : result.verdicts) {
    EXPECT_FALSE(verdict.tests.empty());
    EXPECT_EQ(verdict.subject.id(), "unlearned/" + verdict.method);
    EXPECT_FALSE(words::limits(verdict).empty());
  }
}

TEST(Verdicts, KnownMethodsWithOneModelEach) { check_known(audit_of(KnownMethods(1))); }

TEST(Verdicts, KnownMethodsWithPools) { check_known(audit_of(KnownMethods(12))); }

TEST(Verdicts, TestsCarryTheirNumbers) {
  const Verdict nothing = answer_of(audit_of(KnownMethods(1)), "nothing");
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
  EXPECT_TRUE(metrics.count("holdout_gap.probability") == 1);
  EXPECT_TRUE(metrics.count("holdout_gap.right") == 1);
  EXPECT_FALSE(metrics.count("iam.online.mean.forget") == 1)
      << "one model per group: nothing but unseen rows can say what chance does";
  EXPECT_FALSE(metrics.count("attacks.random.auc") == 1);
}

// More models bring the other metrics in; they never weaken what unseen rows show.
TEST(Verdicts, ModelsBringOtherMetricsIn) {
  const Verdict nothing = answer_of(audit_of(KnownMethods(3)), "nothing");
  EXPECT_TRUE(std::any_of(nothing.tests.begin(), nothing.tests.end(), [](const VerdictTest& test) {
    return test.metric == "iam.online.mean.forget" && !test.core && test.level == 0.01;
  }));
  EXPECT_EQ(nothing.word, Word::traces_remain) << words::sentence(nothing);
}

// A verdict's guards are computed whatever was asked for: at 0.1.0 this model had "traces remain".
TEST(Verdicts, GuardsDoNotDependOnWhatWasAsked) {
  const KnownMethods folder(1);
  const AuditResult result =
      audit(evidence::load(folder.path()).evidence, {.metrics = {"iam.online.auc"}});
  const Verdict constant = answer_of(result, "constant");
  EXPECT_EQ(constant.word, Word::collapsed) << words::sentence(constant);
  EXPECT_EQ(constant.utility_loss, Outcome::shown);
  EXPECT_NE(constant.under, Outcome::shown);
  for (const metrics::Row& row : result.rows) EXPECT_EQ(row.metric, "iam.online.auc");
}

// Labels of one class: every model is right by chance alone, and none is ruined.
TEST(Verdicts, OneClassIsNoRuin) {
  KnownMethods folder(1);
  for (const std::string& split : kSplits) {
    folder.put_labels(split, std::vector<std::int64_t>(folder.array("labels/" + split).size(), 0));
  }
  const Verdict constant = answer_of(audit_of(folder), "constant");  // says class 0: all right
  EXPECT_TRUE(constant.ruin.empty()) << words::sentence(constant);
  EXPECT_NE(constant.word, Word::collapsed) << words::sentence(constant);
}

// Surer of every other forget row and less sure of the rest: right on average, and not forgotten.
TEST(Verdicts, UnevenForgettingIsNotForgotten) {
  KnownMethods folder(1);
  const auto& labels = folder.array("labels/forget").integers();
  folder.change("unlearned/copy/0/forget", [&labels](std::vector<double>& values) {
    for (std::size_t row = 0; row < labels.size(); ++row) {
      values[row * 5 + static_cast<std::size_t>(labels[row])] += row % 2 == 0 ? 9 : -9;
    }
  });
  const Verdict verdict = answer_of(audit_of(folder), "copy");
  EXPECT_NE(verdict.equivalent, Outcome::shown) << words::sentence(verdict);
}

// The smallest effect: a third of the rows as the original knows them is certain, and a third of
// what could be left.
TEST(Verdicts, NothingBelowTheSmallestEffectIsShown) {
  EvidenceShape large = known_shape(1);
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
  const Verdict plain = answer_of(audit_of(folder), "third");
  EXPECT_EQ(plain.under, Outcome::shown) << words::sentence(plain);
  const Verdict strict = answer_of(audit_of(folder, {{"verdict.smallest_effect", 0.6}}), "third");
  EXPECT_NE(strict.under, Outcome::shown) << words::sentence(strict);
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
