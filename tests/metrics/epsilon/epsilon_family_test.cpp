// The epsilon family on small synthetic evidence: rows, notes, setups and what is said when
// something is missing.
#include "vestige/metrics/epsilon/epsilon_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/metrics/support/measured.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
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
const std::vector<std::string> kForget = {"forget"};

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
  Progress progress(ProgressStyle::quiet, "test", 1);
  return measured(epsilon_family(), comparison, {.seed = 1, .options = options});
}

Row find_row(const Measurements& measurements, const std::string& id,
             const std::string& setup = "") {
  for (const Row& row : measurements.rows) {
    if (row.metric == id && row.settings.value("setup", "") == setup) return row;
  }
  throw std::runtime_error("no row " + id);
}

// Every option reaches the functions, and rows name what is not the competition's.
TEST(EpsilonFamily, OptionsOfTheScore) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const auto& labels = *evidence.find_labels("forget");
  const Matrix ours = confidences(Context(), comparison.candidate, "forget", labels, evidence.kind);
  const Matrix theirs =
      confidences(Context(), comparison.retrained, "forget", labels, evidence.kind);
  const Measurements result = measure(comparison, {{"epsilon.attacks", "single"},
                                                   {"epsilon.aggregation", "quantile"},
                                                   {"epsilon.quantile", 0.7},
                                                   {"epsilon.bin_width", 0.25},
                                                   {"epsilon.delta", 0.01},
                                                   {"epsilon.cap", 9.0}});
  const PointsOptions points{
      .bin_width = 0.25, .aggregation = Aggregation::quantile, .quantile = 0.7};
  const ForgetQuality quality =
      forget_quality(ours, theirs, EpsilonMode::exact,
                     {.delta = 0.01, .cap = 9, .families = AttackFamilies::single}, points);
  const Row forget = find_row(result, "epsilon.f_score");
  EXPECT_EQ(forget.value, quality.score.value);
  EXPECT_TRUE(forget.terms.empty());  // a quantile is no mean of terms
  EXPECT_LE(forget.lower, forget.value);
  EXPECT_GE(forget.upper, forget.value);
  EXPECT_EQ(forget.settings["attacks"], "single");
  EXPECT_EQ(forget.settings["aggregation"], "quantile");
  EXPECT_EQ(forget.settings["quantile"], 0.7);
  EXPECT_EQ(forget.settings["bin_width"], 0.25);
  EXPECT_EQ(forget.settings["delta"], 0.01);
  EXPECT_EQ(forget.settings["cap"], 9.0);
  EXPECT_EQ(result.columns[0].values, quality.epsilons);
  const Row plain = find_row(measure(comparison), "epsilon.f_score");
  for (const char* key : {"attacks", "aggregation", "quantile", "bin_width", "delta", "cap"}) {
    EXPECT_FALSE(plain.settings.contains(key)) << key;
  }
  for (const auto& [key, bad] :
       {std::pair("epsilon.quantile", Json(1.5)), std::pair("epsilon.delta", Json(1.0)),
        std::pair("epsilon.bin_width", Json(0.0)), std::pair("epsilon.cap", Json(-1.0)),
        std::pair("epsilon.aggregation", Json("mode")),
        std::pair("epsilon.attacks", Json("all"))}) {
    EXPECT_THROW(measure(comparison, {{key, bad}}), InputError) << key;
  }
}

// Paper, A.13: with N asked and 2 N models there, N are fitted on and N others evaluated, in the
// mode of the plain F, so that both have one N.
TEST(EpsilonFamily, SplitHasTheSameNAndMode) {
  const Evidence evidence = make_evidence();
  for (const char* mode : {"exact", "reference"}) {
    const Measurements result =
        measure(compare(evidence), {{"epsilon.models", 8}, {"epsilon.mode", mode}});
    const Row split = find_row(result, "epsilon.f_score.split_kde");
    EXPECT_EQ(split.settings["models"], 8);
    EXPECT_EQ(split.settings["mode"], mode);
    EXPECT_EQ(split.facts["fitting_models"], 8);
    EXPECT_EQ(find_row(result, "epsilon.f_score").settings["models"], 8);
    // All 16 are used: the same as without a limit.
    EXPECT_EQ(split.value, find_row(measure(compare(evidence), {{"epsilon.mode", mode}}),
                                    "epsilon.f_score.split_kde")
                               .value);
  }
  // Fewer than 2 N: the N are halved, as without a number.
  const Row few =
      find_row(measure(compare(evidence), {{"epsilon.models", 12}}), "epsilon.f_score.split_kde");
  EXPECT_EQ(few.facts["fitting_models"], 6);
}

TEST(EpsilonFamily, RowsFollowFromThePureFunctions) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const Measurements result = measure(comparison);
  const auto& labels = *evidence.find_labels("forget");
  const ForgetQuality quality =
      forget_quality(confidences(Context(), comparison.candidate, "forget", labels, evidence.kind),
                     confidences(Context(), comparison.retrained, "forget", labels, evidence.kind));

  const Row forget = find_row(result, "epsilon.f_score");
  EXPECT_EQ(forget.value, quality.score.value);
  EXPECT_EQ(forget.terms, quality.score.points);
  EXPECT_EQ(forget.n, kRows);
  EXPECT_EQ(forget.interval.code, Code::bootstrap_over_forget_models_fixed);
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
  ASSERT_EQ(forget.notes.size(), 1U);
  EXPECT_EQ(forget.notes[0], reason(Code::epsilon_is_bounded, 16, std::log(15.0)));

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
  EXPECT_EQ(missing.notes.at(0),
            reason(Code::needs_accuracies,
                   std::vector<std::string>{"unlearned/finetune/retain", "unlearned/finetune/test",
                                            "retrained/retain", "retrained/test"}));

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
  EXPECT_EQ(zero.notes.at(0).code, Code::retrained_accuracy_is_zero);
  EXPECT_TRUE(std::isnan(zero.value));
}

TEST(EpsilonFamily, SetupsOnRequest) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const Measurements full = measure(comparison, {{"epsilon.setup", "full"}, {"epsilon.models", 8}});
  const Row row = find_row(full, "epsilon.f_score", "full");
  EXPECT_EQ(row.settings["experiments"], 2);
  EXPECT_EQ(row.settings["models"], 8);
  EXPECT_EQ(row.interval, reason(Code::t_over_experiments, 2));
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
  ASSERT_EQ(impossible.notes.at(0).code, Code::message);
  const auto message = std::get<std::string>(argument(impossible.notes.at(0), "text"));
  EXPECT_NE(message.find("17"), std::string::npos) << message;
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
  EXPECT_EQ(final.interval, reason(Code::t_over_experiments, 2));
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
  ASSERT_EQ(row.notes.size(), 2U);
  EXPECT_EQ(row.notes[0], reason(Code::model_groups_differ, 16, 7));
  EXPECT_EQ(row.notes[1], reason(Code::epsilon_is_bounded, 7, std::log(6.0)));
}

TEST(EpsilonFamily, TwoModelsAreUnreliable) {
  const Evidence evidence = make_evidence(2, 2);
  const Measurements result = measure(compare(evidence));
  const Row row = find_row(result, "epsilon.f_score");
  EXPECT_EQ(row.value, 0);
  EXPECT_EQ(row.status, Status::unreliable);
  EXPECT_EQ(row.notes.at(0), reason(Code::epsilon_needs_models, 2));
  const Row split = find_row(result, "epsilon.f_score.split_kde");
  EXPECT_EQ(split.status, Status::skipped);
  EXPECT_EQ(split.notes.at(0), reason(Code::needs_model_groups, 4, 2));
}

// A constant predictor is told apart from retrained models on every row: F is 0, not 1.
TEST(EpsilonFamily, AConstantPredictorScoresZero) {
  Evidence evidence = make_evidence();
  Model constant;
  constant.role = "constant_predictor";
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
  EXPECT_EQ(split.notes.at(0), reason(Code::attacks_not_fitted, 40, 40));
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
  ASSERT_EQ(reference.notes.size(), 2U);
  EXPECT_EQ(reference.notes[0], reason(Code::attacks_discarded, 40, 40));
  EXPECT_EQ(reference.notes[1].code, Code::epsilon_is_bounded);
  EXPECT_EQ(find_row(measure(comparison), "epsilon.f_score").value, 1);  // equal multisets
}

TEST(EpsilonFamily, MissingPartsAreNamed) {
  Evidence evidence = make_evidence();
  Comparison comparison = compare(evidence);
  comparison.retrained.clear();
  const Measurements alone = measure(comparison);
  ASSERT_EQ(alone.rows.size(), 1U);
  EXPECT_EQ(alone.rows[0].status, Status::skipped);
  EXPECT_EQ(alone.rows[0].notes.at(0), reason(Code::needs_retrained_pool, 64));

  Evidence without = make_evidence();
  without.groups[2].models[3].outputs.clear();
  EXPECT_EQ(measure(compare(without)).rows[0].notes.at(0),
            reason(Code::needs_outputs, kForget, "unlearned/finetune/3/forget.npy"));
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
  const auto support = [](const Evidence& evidence) { return epsilon_family().support(evidence); };
  EXPECT_EQ(support(make_evidence(64, 2)).reason,
            reason(Code::epsilon_group_is_small, "retrained", 2, 64,
                   reason(Code::epsilon_needs_models, 2)));
  EXPECT_FALSE(support(make_evidence(64, 2)).supported);
  EXPECT_TRUE(support(make_evidence(16, 16)).supported);
  EXPECT_EQ(support(make_evidence(5, 64)).reason,
            reason(Code::epsilon_group_is_small, "unlearned/finetune", 5, 64,
                   reason(Code::epsilon_is_bounded, 5, std::log(4.0))));
  EXPECT_EQ(support(make_evidence(16, 1)).reason,
            reason(Code::epsilon_group_is_small, "retrained", 1, 64,
                   reason(Code::epsilon_needs_models, 1)));

  Evidence bare = make_evidence();
  bare.groups.erase(bare.groups.begin() + 1);
  EXPECT_FALSE(support(bare).supported);
  EXPECT_EQ(support(bare).reason, reason(Code::needs_retrained_pool, 64));
  Evidence unlabelled = make_evidence();
  unlabelled.labels.clear();
  EXPECT_EQ(support(unlabelled).reason, reason(Code::needs_labels, kForget, "labels/forget.npy"));
  Evidence nothing = make_evidence();
  nothing.groups.erase(nothing.groups.begin());
  nothing.groups.pop_back();
  EXPECT_EQ(support(nothing).reason,
            reason(Code::needs_outputs, kForget, "unlearned/METHOD/0/forget.npy"));
}

TEST(EpsilonFamily, SameRowsForAnyNumberOfThreads) {
  const Evidence evidence = make_evidence();
  const Comparison comparison = compare(evidence);
  const Json options = {{"epsilon.setup", "bootstrap"}};
  const Measurements one =
      Context({.threads = 1}).run([&] { return measure(comparison, options); });
  const Measurements four =
      Context({.threads = 4}).run([&] { return measure(comparison, options); });
  ASSERT_EQ(one.rows.size(), four.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    EXPECT_EQ(json_number(one.rows[row].value), json_number(four.rows[row].value));
    EXPECT_EQ(json_number(one.rows[row].lower), json_number(four.rows[row].lower));
    EXPECT_EQ(json_number(one.rows[row].upper), json_number(four.rows[row].upper));
  }
}

}  // namespace
}  // namespace vestige::metrics
