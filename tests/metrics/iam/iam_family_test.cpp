// The rows of IAM on evidence whose answer is known.
#include "vestige/metrics/iam/iam_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/shadow_evidence.h"
#include "vestige/base/error.h"
#include "vestige/evidence/reader.h"

namespace vestige::metrics {
namespace {

Measurements measure_iam(const Comparison& comparison, Json options = Json::object()) {
  Progress progress(ProgressStyle::quiet, "test", 1);
  return measured(iam_family(), comparison, {1, std::move(options)});
}

TEST(IamFamily, TellsRetrainedFromOriginal) {
  ShadowEvidence made;
  made.add_usual(3);
  const Measurements retrained = measure_iam(made.comparison("retrained", "", Control::retrained));
  const Measurements original = measure_iam(made.comparison("original", "", Control::original));
  const Measurements method = measure_iam(made.comparison("unlearned", "nothing", Control::none));
  for (const std::string mode : {"iam.online.", "iam.offline."}) {
    EXPECT_GT(find_row(retrained, mode + "auc")->value, 0.8);
    EXPECT_NEAR(find_row(original, mode + "auc")->value, 0.5, 0.1);
    EXPECT_LT(find_row(retrained, mode + "mean.forget")->value + 0.2,
              find_row(original, mode + "mean.forget")->value);
    EXPECT_LT(find_row(retrained, mode + "bce")->value, find_row(original, mode + "bce")->value);
    const Row* under = find_row(method, mode + "under_unlearned");
    EXPECT_GT(under->value, 0.9);
    // The same rate on retrained, with its interval.
    EXPECT_NEAR(under->facts["retrained"]["rate"].get<double>(),
                find_row(retrained, mode + "under_unlearned")->value, 1e-15);
    EXPECT_EQ(under->facts["by_class"].size(), ShadowEvidence::kClasses);
    EXPECT_EQ(under->facts["worst_rows"].size(), 10U);
    EXPECT_EQ(under->interval.code, Code::clopper_pearson);
    EXPECT_NE(find_row(method, mode + "over_unlearned"), nullptr);
  }
  ASSERT_EQ(method.columns.size(), 4U);
  EXPECT_EQ(method.columns[0].name, "iam.online.nothing");
  EXPECT_EQ(method.columns[0].split, "forget");
  EXPECT_EQ(method.columns[0].worst, 1);
  EXPECT_EQ(method.columns[1].values.size(), 150U);
}

TEST(IamFamily, SaysWhenDeltaOneFlagsRetrainedRows) {
  ShadowEvidence made;
  made.add_usual(2);
  const Measurements method = measure_iam(made.comparison("unlearned", "nothing", Control::none));
  const Row* under = find_row(method, "iam.online.under_unlearned");
  EXPECT_EQ(under->notes.at(0).code, Code::delta1_flags_retrained);
  EXPECT_EQ(argument(under->notes.at(0), "delta"), result::Argument(0.1));
  const Json strict = {{"iam.delta1", 1.0}};
  const Measurements none =
      measure_iam(made.comparison("unlearned", "nothing", Control::none), strict);
  EXPECT_EQ(find_row(none, "iam.online.under_unlearned")->value, 0);
  EXPECT_TRUE(find_row(none, "iam.online.under_unlearned")->notes.empty());
}

TEST(IamFamily, LowRatesAreNotResolvableWithFewRows) {
  ShadowEvidence made;
  made.add_usual(1);
  const Measurements method = measure_iam(made.comparison("unlearned", "nothing", Control::none));
  std::size_t undefined = 0;
  for (const Row& row : method.rows) {
    if (row.metric != "iam.online.tpr") continue;
    if (row.status != Status::undefined) continue;
    ++undefined;
    EXPECT_EQ(row.notes.at(0), reason(Code::rate_not_resolvable, 120, 100.0 / 120));
  }
  EXPECT_EQ(undefined, 2U);  // 0.1 % and 0.01 % of 120 rows
}

TEST(IamFamily, UsesAsManyShadowsAsAskedFor) {
  ShadowEvidence made;
  made.add_usual(3);
  const Comparison comparison = made.comparison("unlearned", "nothing", Control::none);
  const Measurements one = measure_iam(comparison, {{"iam.shadows", 1}});
  EXPECT_EQ(find_row(one, "iam.online.auc")->facts["shadows"], 1);
  EXPECT_EQ(find_row(measure_iam(comparison), "iam.online.auc")->facts["shadows"], 3);
  // Which one is drawn by the seed: ten seeds take all three of them.
  std::set<double> values;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    values.insert(
        find_row(measured(iam_family(), comparison, {seed, {{"iam.shadows", 1}}}), "iam.online.auc")
            ->value);
  }
  EXPECT_EQ(values.size(), 3U);
  EXPECT_THROW(measure_iam(comparison, {{"iam.shadows", 4}}), InputError);
}

TEST(IamFamily, ScoringVariantsHaveTheirAucs) {
  ShadowEvidence made;
  made.add_usual(2);
  const Measurements all =
      measure_iam(made.comparison("retrained", "", Control::retrained), {{"iam.score", "all"}});
  std::vector<std::string> names;
  for (const Row& row : all.rows) {
    if (row.metric == "iam.online.auc") {
      names.push_back(row.settings["score"]);
      EXPECT_GT(row.value, 0.6) << names.back();
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"gumbel", "gauss", "bayes", "kde", "ecdf", "loss"}));
}

TEST(IamFamily, MissingPartsAreNamed) {
  ShadowEvidence empty;
  empty.add("original", "", "0", {{"forget", 3}, {"retain", 3}});
  EXPECT_FALSE(iam_family().support(empty.get()).supported);
  EXPECT_EQ(iam_family().support(empty.get()).reason,
            reason(Code::needs_shadow_models, 1, "shadow/0/{forget,retain}.npy"));

  ShadowEvidence offline;
  offline.add("unlearned", "nothing", "0", {{"forget", 3}, {"retain", 3}});
  offline.add("shadow", "", "0", {{"forget", 0}, {"retain", 0}, {"shadow_train", 3}});
  EXPECT_TRUE(iam_family().support(offline.get()).supported);
  EXPECT_EQ(iam_family().support(offline.get()).reason,
            reason(Code::scores_need_files, std::vector<std::string>{"iam.online"},
                   "original/0/{forget,retain}.npy"));
  const Measurements measured =
      measure_iam(offline.comparison("unlearned", "nothing", Control::none));
  EXPECT_EQ(find_row(measured, "iam.online.auc")->status, Status::skipped);
  EXPECT_EQ(find_row(measured, "iam.offline.auc")->status, Status::ok);
  EXPECT_EQ(find_row(measured, "iam.offline.over_unlearned")->status, Status::skipped);
  EXPECT_EQ(find_row(measured, "iam.offline.under_unlearned")->notes.at(0).code,
            Code::delta1_without_retrained);

  ShadowEvidence neither;
  neither.add("unlearned", "nothing", "0", {{"forget", 3}, {"retain", 3}});
  neither.add("shadow", "", "0", {{"forget", 0}, {"retain", 0}});
  EXPECT_FALSE(iam_family().support(neither.get()).supported);
  EXPECT_EQ(iam_family().support(neither.get()).reason.code, Code::needs_fitted_model);
}

TEST(IamFamily, NoSpreadIsUndefinedWithTheReason) {
  ShadowEvidence made;
  made.add_usual(1);
  const Comparison comparison = made.comparison("unlearned", "nothing", Control::none);
  const Measurements measured = measure_iam(comparison, {{"iam.variance", "per_row"}});
  const Row* row = find_row(measured, "iam.online.auc");
  EXPECT_EQ(row->status, Status::undefined);
  EXPECT_EQ(row->notes.at(0).code, Code::one_shadow_has_no_variance);
  for (const Row& each : measured.rows) EXPECT_NE(each.status, Status::ok) << each.metric;
}

TEST(IamFamily, BadOptionsAreNamed) {
  ShadowEvidence made;
  made.add_usual(1);
  const Comparison comparison = made.comparison("unlearned", "nothing", Control::none);
  EXPECT_THROW(measure_iam(comparison, {{"iam.levels", 1}}), InputError);
  EXPECT_THROW(measure_iam(comparison, {{"iam.variance", "some"}}), InputError);
  EXPECT_THROW(measure_iam(comparison, {{"iam.delta1", 2.0}}), InputError);
  EXPECT_THROW(measure_iam(comparison, {{"iam.delta2_constant", -1.0}}), InputError);
  EXPECT_THROW(measure_iam(comparison, {{"iam.score", "most"}}), InputError);
  EXPECT_THROW(measure_iam(comparison, {{"iam.epsilon1", 0.0}}), InputError);
}

TEST(IamFamily, ScoresFollowKnownMembership) {
  ShadowEvidence made;
  made.add_usual(2);
  // The less of forget was removed, the more the model fits it.
  made.add("partial", "25", "0", {{"forget", 2.25}, {"retain", 3}});
  made.add("partial", "75", "0", {{"forget", 0.75}, {"retain", 3}});
  const Measurements measured = measure_iam(made.comparison("partial", "25", Control::graded));
  const Row* row = find_row(measured, "iam.online.spearman");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->subject.id(), "partial");
  EXPECT_EQ(row->n, 4 * 120U);
  EXPECT_GT(row->value, 0.6);
  // One row for all of them.
  EXPECT_EQ(find_row(measure_iam(made.comparison("partial", "75", Control::graded)),
                     "iam.online.spearman"),
            nullptr);
}

TEST(IamFamily, ShadowsMayHaveTrainingRowsOfTheirOwn) {
  const auto folder = std::filesystem::temp_directory_path() / "vestige_iam_own_rows";
  std::filesystem::remove_all(folder);
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text;
  };
  write("labels/forget.csv", "0\n1\n1\n");
  write("labels/retain.csv", "0\n1\n");
  write("labels/shadow_train.0.csv", "0\n0\n1\n");
  write("labels/shadow_train.1.csv", "1\n0\n");
  for (const std::string model : {"shadow/0", "shadow/1", "unlearned/some/0"}) {
    write(model + "/forget.csv", "2.5,0.5\n0.25,1.5\n1.5,1.75\n");
    write(model + "/retain.csv", "4.5,0.5\n0.25,3.5\n");
  }
  write("shadow/0/shadow_train.csv", "4.5,0.5\n2.5,1.5\n0.5,4.5\n");
  write("shadow/1/shadow_train.csv", "0.5,4.5\n3.5,1.5\n");
  const evidence::Reading reading = evidence::load(folder, false);
  EXPECT_TRUE(iam_family().support(reading.evidence).supported);
  const evidence::Group* shadows = reading.evidence.find("shadow");
  ASSERT_EQ(shadows->models.size(), 2U);
  EXPECT_EQ(reading.evidence.find_labels(shadows->models[1], "shadow_train")->size(), 2U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace vestige::metrics
