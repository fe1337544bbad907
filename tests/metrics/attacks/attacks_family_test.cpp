// The attack family on evidence whose answer is known.
#include "vestige/metrics/attacks/attacks_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/shadow_evidence.h"
#include "vestige/base/error.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/stats/attack_result.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;

Measurements measure_attacks(const Comparison& comparison, const Json& options = Json::object()) {
  Progress progress(ProgressStyle::quiet, "test", 1);
  return measured(attacks_family(), comparison, {1, options});
}

TEST(AttacksFamily, EveryAttackSeesTheDifferenceThatIsThere) {
  ShadowEvidence made;
  made.add_usual(3);
  // A pair that shows what unlearning looks like: confidence falls on shadow_forget only.
  made.add("shadow", "", "p", {{"shadow_forget", 3}, {"shadow_retain", 3}});
  made.add("shadow", "", "p.unlearned", {{"shadow_forget", 0}, {"shadow_retain", 3}});
  const Measurements retrained =
      measure_attacks(made.comparison("retrained", "", Control::retrained));
  for (const Row& row : retrained.rows) {
    EXPECT_EQ(row.status, Status::ok) << row.metric;
    if (row.metric == "attacks.random.auc") {
      EXPECT_NEAR(row.value, 0.5, 0.12);  // 4 standard errors with 120 and 150 rows: 0.14
    } else {
      EXPECT_GT(row.value, 0.6) << row.metric << " " << row.settings.dump();
    }
    EXPECT_EQ(row.interval.code, Code::delong);
    EXPECT_EQ(row.facts["tpr_at_fpr"].size(), 4U);
    EXPECT_EQ(row.facts["tpr_at_fpr"][2]["tpr"], "not resolvable");
  }
  for (const MetricInfo& info : std::vector<MetricInfo>(attacks_family().metrics)) {
    EXPECT_NE(find_row(retrained, std::string(info.id)), nullptr) << info.id;
  }
  for (const char* form : {"iam", "tf"}) {
    EXPECT_NE(find_row(retrained, "attacks.lira.online.auc", form), nullptr);
    EXPECT_NE(find_row(retrained, "attacks.lira.offline.auc", form), nullptr);
  }
  for (const char* form : {"softmax", "taylor"}) {
    EXPECT_NE(find_row(retrained, "attacks.rmia.online.auc", form), nullptr);
    EXPECT_NE(find_row(retrained, "attacks.rmia.offline.auc", form), nullptr);
  }
}

TEST(AttacksFamily, PairsMayBeShadowsAndWhatTheyWereBefore) {
  ShadowEvidence made;
  made.add_usual(0);
  made.add("shadow", "", "0",
           {{"forget", 0}, {"retain", 0}, {"test", 0}, {"shadow_forget", 0}, {"shadow_retain", 3}});
  made.add("shadow", "", "0.original", {{"shadow_forget", 3}, {"shadow_retain", 3}});
  const Measurements retrained =
      measure_attacks(made.comparison("retrained", "", Control::retrained));
  EXPECT_GT(find_row(retrained, "attacks.unleak.auc")->value, 0.6);
  EXPECT_EQ(find_row(retrained, "attacks.unleak.auc")->facts["shadows"], 1);
}

TEST(AttacksFamily, MissingPartsAreSkippedWithAReason) {
  ShadowEvidence made;
  made.add("unlearned", "nothing", "0", {{"forget", 3}, {"retain", 3}});
  EXPECT_TRUE(attacks_family().support(made.get()).supported);
  EXPECT_EQ(attacks_family().support(made.get()).reason,
            reason(Code::scores_need_files,
                   std::vector<std::string>{"LiRA", "RMIA", "EMIA-R", "update", "UnLeak"},
                   "shadow/0/{forget,retain,test}.npy"));
  const Measurements measured =
      measure_attacks(made.comparison("unlearned", "nothing", Control::none));
  EXPECT_EQ(find_row(measured, "attacks.loss.auc")->status, Status::ok);
  for (const char* id :
       {"attacks.lira.online.auc", "attacks.lira.offline.auc", "attacks.rmia.online.auc",
        "attacks.rmia.offline.auc", "attacks.emia_p.auc", "attacks.emia_r.auc",
        "attacks.update.auc", "attacks.unleak.auc"}) {
    const Row* row = find_row(measured, id);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_EQ(row->status, Status::skipped) << id;
    EXPECT_EQ(row->notes.size(), 1U) << id;
  }
  EXPECT_EQ(find_row(measured, "attacks.lira.online.auc")->notes.at(0).code,
            Code::needs_shadow_models);
  EXPECT_EQ(find_row(measured, "attacks.emia_p.auc")->notes.at(0),
            reason(Code::needs_test_set, "unlearned/nothing/0/test.npy"));
  EXPECT_EQ(find_row(measured, "attacks.unleak.auc")->notes.at(0).code, Code::needs_shadow_pairs);
  // Controls do not repeat what is missing.
  for (const Row& row :
       measure_attacks(made.comparison("unlearned", "nothing", Control::retrained)).rows) {
    EXPECT_EQ(row.status, Status::ok) << row.metric;
  }
}

TEST(AttacksFamily, ProbabilitiesHaveNoTaylorForm) {
  ShadowEvidence made;
  made.add_usual(1);
  made.get().kind = evidence::OutputKind::log_probabilities;
  const Measurements measured =
      measure_attacks(made.comparison("unlearned", "nothing", Control::none));
  const Row* taylor = find_row(measured, "attacks.rmia.online.auc", "taylor");
  EXPECT_EQ(taylor->status, Status::skipped);
  EXPECT_EQ(taylor->notes.at(0).code, Code::needs_logits);
  EXPECT_EQ(find_row(measured, "attacks.rmia.online.auc", "softmax")->status, Status::ok);
  EXPECT_EQ(find_row(measured, "attacks.emia_r.auc", "reference"), nullptr);
}

TEST(AttacksFamily, OneShadowIsToldToSayLittle) {
  ShadowEvidence made;
  made.add_usual(1);
  const Measurements measured =
      measure_attacks(made.comparison("unlearned", "nothing", Control::none));
  EXPECT_EQ(find_row(measured, "attacks.lira.offline.auc", "iam")->notes.at(0).code,
            Code::one_shadow_has_no_spread);
  // The published code takes the density there: rows rank by |x - shadow|, so that its AUC is that
  // of the distances.
  const Row* density = find_row(measured, "attacks.lira.offline.auc", "density");
  ASSERT_NE(density, nullptr);
  const Evidence& evidence = made.get();
  const Comparison comparison = made.comparison("unlearned", "nothing", Control::none);
  const auto scaled = [&](const evidence::Model& model, const char* split) {
    return true_class(Context(), evidence, model, {split}).scaled;
  };
  std::vector<double> distances[2];
  for (const int side : {0, 1}) {
    const char* split = side == 0 ? "forget" : "retain";
    const auto ours = scaled(*comparison.candidate.front(), split);
    const auto shadow = scaled(evidence.find("shadow")->models.front(), split);
    for (std::size_t row = 0; row < ours.size(); ++row) {
      distances[side].push_back(std::abs(ours[row] - shadow[row]));
    }
  }
  double wins = 0;
  for (const double kept : distances[1]) {
    for (const double forgotten : distances[0]) {
      wins += kept > forgotten ? 1 : kept == forgotten ? 0.5 : 0;
    }
  }
  wins /= static_cast<double>(distances[0].size() * distances[1].size());
  EXPECT_NEAR(density->value, wins, 1e-9);
}

// T and a against the pure functions: signals of all models at T, offline reference with a.
TEST(AttacksFamily, RmiaSettingsAreOptions) {
  ShadowEvidence made;
  made.add_usual(3);
  const Comparison comparison = made.comparison("unlearned", "nothing", Control::none);
  const Evidence& evidence = made.get();
  const double T = 1, a = 0.6;  // the published code's values for CIFAR-100
  const auto signals = [&](const evidence::Model& model, const char* split) {
    return rmia_signals(evidence::matrix(model.outputs.at(split)), *evidence.find_labels(split),
                        {.temperature = T});
  };
  const auto ratios = [&](const char* split) {
    std::vector<std::vector<double>> shadows;
    for (const evidence::Model& model : evidence.find("shadow")->models) {
      shadows.push_back(signals(model, split));
    }
    Matrix all(shadows.size(), shadows[0].size());
    for (std::size_t model = 0; model < shadows.size(); ++model) {
      std::copy(shadows[model].begin(), shadows[model].end(), all.row(model).begin());
    }
    return likelihood_ratios(signals(*comparison.candidate.front(), split),
                             offline_reference(mean_signals(all, 0.2), a));
  };
  const auto population = ratios("test");
  const auto forget = rmia_scores(ratios("forget"), population, 2, PairRule::reciprocal);
  const auto retain = rmia_scores(ratios("retain"), population, 2, PairRule::reciprocal);
  const Measurements measured =
      measure_attacks(comparison, {{"attacks.rmia_temperature", T}, {"attacks.rmia_a", a}});
  const Row* row = find_row(measured, "attacks.rmia.offline.auc", "taylor");
  ASSERT_NE(row, nullptr);
  EXPECT_NEAR(row->value, evaluate_attack(retain, forget).auc.value, 1e-12);
  EXPECT_EQ(row->settings["temperature"], T);
  EXPECT_EQ(row->settings["a"], a);
  EXPECT_FALSE(find_row(measure_attacks(comparison), "attacks.rmia.offline.auc", "taylor")
                   ->settings.contains("a"));
  EXPECT_THROW(measure_attacks(comparison, {{"attacks.rmia_temperature", 0.0}}), InputError);
  EXPECT_THROW(measure_attacks(comparison, {{"attacks.rmia_a", 1.5}}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
