// The epsilon family on small made-up evidence: rows, notes, setups and what is said when something
// is missing.
#include "vestige/metrics/epsilon/epsilon_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/metrics/support/measured.h"
#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/inputs/confidence.h"

namespace vestige::metrics {
namespace {

using evidence::Array;
using evidence::Evidence;
using evidence::Group;
using evidence::Model;

constexpr std::size_t kRows = 40;

// `models` models of three classes whose true-class logit is normal around `shift`.
Group make_group(const std::string& role, const std::string& method, std::size_t models,
                 double shift) {
  Group group;
  group.role = role;
  group.method = method;
  for (std::size_t index = 0; index < models; ++index) {
    Stream stream(1, "epsilon_family_test." + role + method, index);
    std::vector<double> logits(kRows * 3);
    for (std::size_t item = 0; item < logits.size(); ++item) {
      logits[item] = stream.normal() + (item % 3 == 0 ? shift : 0);
    }
    Model model;
    model.role = role;
    model.method = method;
    model.name = std::to_string(index);
    model.outputs["forget"] = Array::from_doubles(std::move(logits), {kRows, 3});
    group.models.push_back(std::move(model));
  }
  return group;
}

Evidence make_evidence(std::size_t unlearned = 16, std::size_t retrained = 16) {
  Evidence evidence;
  evidence.classes = 3;
  evidence.labels["forget"] = std::vector<std::int64_t>(kRows, 0);
  evidence.groups.push_back(make_group("original", "", 16, 3));
  evidence.groups.push_back(make_group("retrained", "", retrained, 0));
  evidence.groups.push_back(make_group("unlearned", "finetune", unlearned, 1));
  return evidence;
}

Models pointers(const Group* group) {
  Models models;
  for (const Model& model : group->models) models.push_back(&model);
  return models;
}

Comparison compare(const Evidence& evidence, const std::string& role = "unlearned",
                   const std::string& method = "finetune") {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = {role, method, {}};
  comparison.short_name = method.empty() ? role : method;
  comparison.candidate = pointers(evidence.find(role, method));
  comparison.retrained = pointers(evidence.find("retrained"));
  return comparison;
}

Measurements measure(const Comparison& comparison, const Json& options = Json::object()) {
  Progress progress("test", 1);
  return measured(epsilon_family(), comparison, {.seed = 1, .options = options});
}

Row find_row(const Measurements& measurements, const std::string& id,
             const std::string& setup = "") {
  for (const Row& row : measurements.rows) {
    if (row.metric == id && row.settings.value("setup", "") == setup) return row;
  }
  throw std::runtime_error("no row " + id);
}

TEST(EpsilonFamily, RowsFollowFromThePureFunctions) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const Measurements result = measure(comparison);
  const auto& labels = *evidence.find_labels("forget");
  const ForgetQuality quality =
      forget_quality(confidences(comparison.candidate, "forget", labels, evidence.kind),
                     confidences(comparison.retrained, "forget", labels, evidence.kind));

  const Row forget = find_row(result, "epsilon.f_score");
  EXPECT_EQ(forget.value, quality.score.value);
  EXPECT_EQ(forget.terms, quality.score.points);
  EXPECT_EQ(forget.n, kRows);
  EXPECT_EQ(forget.interval, "bootstrap 95 % over forget rows, models fixed");
  EXPECT_LE(forget.lower, forget.value);
  EXPECT_GE(forget.upper, forget.value);
  EXPECT_LT(forget.lower, forget.upper);
  EXPECT_EQ(forget.settings["mode"], "exact");
  EXPECT_EQ(forget.settings["models"], 16);
  EXPECT_EQ(forget.settings["halves"], false);
  EXPECT_EQ(forget.facts["delta"], 1e-5);
  EXPECT_EQ(forget.facts["cap"], 50);
  EXPECT_EQ(forget.direction, Direction::higher);
  EXPECT_EQ(forget.ideal, 1);
  EXPECT_EQ(forget.status, Status::ok);
  EXPECT_EQ(forget.note, "16 models a side: no finite eps above ln(15) = 2.71 can be seen");

  EXPECT_EQ(find_row(result, "epsilon.median").value, median_epsilon(quality.epsilons));
  EXPECT_EQ(find_row(result, "epsilon.undefined").value, 0);
  EXPECT_EQ(find_row(result, "epsilon.perfectly_separated").value,
            static_cast<double>(quality.separated));
  const Row split = find_row(result, "epsilon.f_score.split_kde");
  EXPECT_EQ(split.settings["models"], 8);
  EXPECT_EQ(split.facts["fitting_models"], 8);
  EXPECT_GE(split.value, 0);
  ASSERT_EQ(result.columns.size(), 1U);
  EXPECT_EQ(result.columns[0].name, "epsilon.finetune");
  EXPECT_EQ(result.columns[0].split, "forget");
  EXPECT_EQ(result.columns[0].values, quality.epsilons);
  EXPECT_EQ(result.columns[0].worst, 1);
}

TEST(EpsilonFamily, EveryRowIsAListedId) {
  const Evidence evidence = make_evidence();
  for (const Row& row : measure(compare(evidence), {{"epsilon.setup", "bootstrap"}}).rows) {
    bool listed = false;
    for (const MetricInfo& info : std::vector<MetricInfo>(epsilon_family().metrics))
      listed = listed || info.id == row.metric;
    EXPECT_TRUE(listed) << row.metric;
  }
}

TEST(EpsilonFamily, HalvesGiveOnlyWhatControlsNeed) {
  const Evidence evidence = make_evidence();
  Comparison comparison = compare(evidence);
  comparison.halves = true;
  const Measurements result = measure(comparison, {{"epsilon.setup", "full"}});
  EXPECT_EQ(result.rows.size(), 4U);
  EXPECT_TRUE(result.columns.empty());
  EXPECT_EQ(find_row(result, "epsilon.f_score").settings["halves"], true);
}

TEST(EpsilonFamily, FinalScoreNeedsAccuracies) {
  Evidence evidence = make_evidence();
  const Row missing = find_row(measure(compare(evidence)), "epsilon.final_score");
  EXPECT_EQ(missing.status, Status::skipped);
  EXPECT_TRUE(std::isnan(missing.value));
  EXPECT_NE(missing.note.find("accuracy.json"), std::string::npos);

  evidence.accuracy["finetune"] = {{"retain", std::vector<double>(16, 0.9)},
                                   {"test", std::vector<double>(16, 0.6)}};
  evidence.accuracy["retrained"] = {{"retain", std::vector<double>(16, 1.0)},
                                    {"test", std::vector<double>(16, 0.8)}};
  const Measurements result = measure(compare(evidence));
  const Row forget = find_row(result, "epsilon.f_score");
  const Row final = find_row(result, "epsilon.final_score");
  EXPECT_NEAR(final.value, forget.value * 0.9 * 0.75, 1e-15);  // Equation 2
  EXPECT_NEAR(final.lower, forget.lower * 0.9 * 0.75, 1e-15);
  EXPECT_NEAR(final.facts["test_ratio"].get<double>(), 0.75, 1e-15);
  EXPECT_EQ(final.status, Status::ok);

  evidence.accuracy["retrained"]["test"].assign(16, 0.0);
  const Row zero = find_row(measure(compare(evidence)), "epsilon.final_score");
  EXPECT_EQ(zero.status, Status::undefined);
  EXPECT_TRUE(std::isnan(zero.value));
}

TEST(EpsilonFamily, SetupsOnRequest) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const Measurements full = measure(comparison, {{"epsilon.setup", "full"}, {"epsilon.models", 8}});
  const Row row = find_row(full, "epsilon.f_score", "full");
  EXPECT_EQ(row.settings["experiments"], 2);
  EXPECT_EQ(row.settings["models"], 8);
  EXPECT_EQ(row.interval, "t 95 % over 2 experiments");
  EXPECT_EQ(row.n, 2U);
  // The single estimate still uses every model.
  EXPECT_EQ(find_row(full, "epsilon.f_score").settings["models"], 16);

  const Measurements drawn =
      measure(comparison,
              {{"epsilon.setup", "bootstrap"}, {"epsilon.models", 12}, {"epsilon.experiments", 5}});
  const Row bootstrap = find_row(drawn, "epsilon.f_score", "bootstrap");
  EXPECT_EQ(bootstrap.settings["experiments"], 5);
  EXPECT_EQ(bootstrap.facts["triplets"], 16);

  const Row impossible =
      find_row(measure(comparison, {{"epsilon.setup", "full"}, {"epsilon.models", 17}}),
               "epsilon.f_score", "full");
  EXPECT_EQ(impossible.status, Status::skipped);
  EXPECT_NE(impossible.note.find("17"), std::string::npos);
}

TEST(EpsilonFamily, EveryExperimentHasAFinalScoreOfItsOwnModels) {
  Evidence evidence = make_evidence();
  // The second eight models lost half of their retain accuracy: factors 1 and 1/2.
  std::vector<double> retain(16, 0.8);
  std::fill(retain.begin() + 8, retain.end(), 0.4);
  evidence.accuracy["finetune"] = {{"retain", retain}, {"test", std::vector<double>(16, 0.5)}};
  evidence.accuracy["retrained"] = {{"retain", std::vector<double>(16, 0.8)},
                                    {"test", std::vector<double>(16, 0.5)}};
  const Measurements result = measure(compare(evidence), {{"epsilon.setup", "full"}});
  const Row forget = find_row(result, "epsilon.f_score", "full");
  const Row final = find_row(result, "epsilon.final_score", "full");
  const auto of_forget = forget.facts["estimates"].get<std::vector<double>>();
  const auto of_final = final.facts["estimates"].get<std::vector<double>>();
  ASSERT_EQ(of_forget.size(), 2U);
  ASSERT_EQ(of_final.size(), 2U);
  EXPECT_DOUBLE_EQ(of_final[0], of_forget[0]);
  EXPECT_DOUBLE_EQ(of_final[1], of_forget[1] / 2);
  EXPECT_DOUBLE_EQ(final.value, (of_forget[0] + of_forget[1] / 2) / 2);
  EXPECT_EQ(final.interval, "t 95 % over 2 experiments");
  EXPECT_EQ(final.settings["experiments"], 2);
  // Student's t with one degree of freedom: 12.7062 standard errors, |a - b| / 2 each.
  const double half = 12.7062 * std::abs(of_final[0] - of_final[1]) / 2;
  EXPECT_NEAR(final.upper - final.value, half, 1e-4 * half);
}

TEST(EpsilonFamily, PairingShowsRepeatedRuns) {
  Evidence evidence = make_evidence();
  for (std::size_t index = 0; index < 16; ++index) {
    evidence.pairing["unlearned/finetune/" + std::to_string(index)] =
        "original/" + std::to_string(index % 8);
  }
  const Row reused = find_row(measure(compare(evidence)), "epsilon.f_score", "reuse-n-n");
  EXPECT_EQ(reused.settings["experiments"], 2);
  EXPECT_EQ(reused.settings["models"], 8);
  // One run of each original, by name: no setup of its own.
  evidence.pairing.clear();
  EXPECT_THROW(find_row(measure(compare(evidence)), "epsilon.f_score", "reuse-n-n"),
               std::runtime_error);
}

TEST(EpsilonFamily, ModelsLimitTheSingleEstimate) {
  const Evidence evidence = make_evidence();
  const Measurements result = measure(compare(evidence), {{"epsilon.models", 6}});
  EXPECT_EQ(find_row(result, "epsilon.f_score").settings["models"], 6);
  const Measurements all = measure(compare(evidence), {{"epsilon.models", 0}});
  EXPECT_EQ(find_row(all, "epsilon.f_score").settings["models"], 16);
}

TEST(EpsilonFamily, UnequalPoolsSayWhichNumberCounts) {
  const Evidence evidence = make_evidence(16, 7);
  const Row row = find_row(measure(compare(evidence)), "epsilon.f_score");
  EXPECT_EQ(row.settings["models"], 7);
  EXPECT_EQ(row.note,
            "16 models against 7 retrained: N = 7 counts; 7 models a side: no finite eps above "
            "ln(6) = 1.79 can be seen");
}

TEST(EpsilonFamily, TwoModelsAreUnreliable) {
  const Evidence evidence = make_evidence(2, 2);
  const Measurements result = measure(compare(evidence));
  const Row row = find_row(result, "epsilon.f_score");
  EXPECT_EQ(row.value, 0);
  EXPECT_EQ(row.status, Status::unreliable);
  EXPECT_EQ(find_row(result, "epsilon.f_score.split_kde").status, Status::skipped);
}

// A constant predictor is told apart from retrained models on every row: F is 0, not 1.
TEST(EpsilonFamily, AConstantPredictorScoresZero) {
  Evidence evidence = make_evidence();
  Model constant;
  constant.role = "collapsed";
  constant.name = "0";
  constant.outputs["forget"] = Array::from_doubles(std::vector<double>(kRows * 3, 0.0), {kRows, 3});
  Comparison comparison = compare(evidence);
  comparison.candidate.assign(16, &constant);
  const Measurements result = measure(comparison);
  EXPECT_EQ(find_row(result, "epsilon.f_score").value, 0);
  EXPECT_EQ(find_row(result, "epsilon.perfectly_separated").value, static_cast<double>(kRows));
  // A constant has no spread to smooth: exactly one rate is 0 on every row.
  const Row split = find_row(result, "epsilon.f_score.split_kde");
  EXPECT_EQ(split.status, Status::undefined);
  EXPECT_NE(split.note.find("40 of 40 rows"), std::string::npos);
}

TEST(EpsilonFamily, ReferenceModeIsUndefinedWhereThePublicScorerStops) {
  Evidence evidence = make_evidence();
  Model constant;
  constant.role = "unlearned";
  constant.name = "0";
  constant.outputs["forget"] = Array::from_doubles(std::vector<double>(kRows * 3, 0.0), {kRows, 3});
  Comparison comparison = compare(evidence);
  comparison.candidate.assign(4, &constant);
  comparison.retrained.assign(4, &constant);
  const Row reference =
      find_row(measure(comparison, {{"epsilon.mode", "reference"}}), "epsilon.f_score");
  EXPECT_EQ(reference.status, Status::undefined);
  EXPECT_TRUE(std::isnan(reference.value));
  EXPECT_EQ(reference.note.substr(0, 46), "every attack is discarded on 40 of 40 rows; 4 ");
  EXPECT_EQ(find_row(measure(comparison), "epsilon.f_score").value, 1);  // equal multisets
}

TEST(EpsilonFamily, MissingPartsAreNamed) {
  Evidence evidence = make_evidence();
  Comparison comparison = compare(evidence);
  comparison.retrained.clear();
  const Measurements alone = measure(comparison);
  ASSERT_EQ(alone.rows.size(), 1U);
  EXPECT_EQ(alone.rows[0].status, Status::skipped);
  EXPECT_NE(alone.rows[0].note.find("retrained/0/forget.npy"), std::string::npos);

  Evidence without = make_evidence();
  without.groups[2].models[3].outputs.clear();
  EXPECT_NE(measure(compare(without)).rows[0].note.find("unlearned/finetune/3/forget.npy"),
            std::string::npos);
}

TEST(EpsilonFamily, RefusesUnknownOptions) {
  const Evidence evidence = make_evidence(4, 4);
  const Comparison comparison = compare(evidence);
  EXPECT_THROW(measure(comparison, {{"epsilon.mode", "fast"}}), InputError);
  EXPECT_THROW(measure(comparison, {{"epsilon.setup", "half"}}), InputError);
  EXPECT_THROW(measure(comparison, {{"epsilon.models", -3}}), InputError);
  EXPECT_THROW(measure(comparison, {{"epsilon.experiments", 1.5}}), InputError);
}

TEST(EpsilonFamily, SupportSaysWhatToAdd) {
  EXPECT_EQ(epsilon_family().support(make_evidence(64, 2)).sentence,
            "2 retrained models: no finite eps above ln(1)=0 can be seen; give at least 64");
  EXPECT_FALSE(epsilon_family().support(make_evidence(64, 2)).supported);
  EXPECT_TRUE(epsilon_family().support(make_evidence(16, 16)).supported);
  EXPECT_EQ(epsilon_family().support(make_evidence(5, 64)).sentence,
            "5 models of unlearned/finetune: no finite eps above ln(4)=1.39 can be seen; give at "
            "least 64");
  EXPECT_EQ(epsilon_family().support(make_evidence(16, 1)).sentence,
            "1 retrained model: no finite eps can be seen; give at least 64");

  Evidence bare = make_evidence();
  bare.groups.erase(bare.groups.begin() + 1);
  EXPECT_FALSE(epsilon_family().support(bare).supported);
  EXPECT_NE(epsilon_family().support(bare).sentence.find("retrained/0/forget.npy"),
            std::string::npos);
  Evidence unlabelled = make_evidence();
  unlabelled.labels.clear();
  EXPECT_NE(epsilon_family().support(unlabelled).sentence.find("labels/forget.npy"),
            std::string::npos);
  Evidence nothing = make_evidence();
  nothing.groups.erase(nothing.groups.begin());
  nothing.groups.pop_back();
  EXPECT_NE(epsilon_family().support(nothing).sentence.find("unlearned/"), std::string::npos);
}

TEST(EpsilonFamily, SameRowsForAnyNumberOfThreads) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const Json options = {{"epsilon.setup", "bootstrap"}};
  set_threads(1);
  const Measurements one = measure(comparison, options);
  set_threads(4);
  const Measurements four = measure(comparison, options);
  set_threads(0);
  ASSERT_EQ(one.rows.size(), four.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    EXPECT_EQ(json_number(one.rows[row].value), json_number(four.rows[row].value));
    EXPECT_EQ(json_number(one.rows[row].lower), json_number(four.rows[row].lower));
    EXPECT_EQ(json_number(one.rows[row].upper), json_number(four.rows[row].upper));
  }
}

}  // namespace
}  // namespace vestige::metrics
