// ScoreUI on models whose confidence grows in known steps from shadow to original.
#include "vestige/metrics/score_ui/score_ui_family.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/shadow_evidence.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr int kSteps = 5;

/// Two shadows on their way to the original: at step i of 5 a training row has gained 3 i / 5.
ShadowEvidence on_the_way(std::size_t shadows) {
  ShadowEvidence made;
  made.add_usual(shadows);
  for (int step = 1; step <= kSteps; ++step) {
    const double share = static_cast<double>(step) / kSteps;
    const std::string group = fmt::format("graded.{:g}", share);
    made.get().membership[group] = share;
    for (const char* name : {"0", "1"}) {
      made.add("checkpoint", group, name,
               {{"forget", 3 * share}, {"retain", 3 * share}, {"test", 0}});
    }
  }
  return made;
}

Comparison whole(const evidence::Evidence& evidence) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = parse_subject("evidence");
  comparison.control = Control::graded;
  return comparison;
}

Measurements measure_score_ui(const evidence::Evidence& evidence,
                              const Json& options = Json::object()) {
  Progress progress(ProgressStyle::quiet, "test", 1);
  return measured(score_ui_family(), whole(evidence), {1, options});
}

TEST(ScoreUi, CorrelationsAreThoseOfEachSeriesAveraged) {
  ShadowEvidence made = on_the_way(3);
  const Measurements measured = measure_score_ui(made.get());
  std::vector<double> expected;
  for (std::size_t series = 0; series < 2; ++series) {
    std::vector<double> scores, membership;
    for (int step = 1; step <= kSteps; ++step) {
      const double share = static_cast<double>(step) / kSteps;
      const evidence::Group* group =
          made.get().find("checkpoint", fmt::format("graded.{:g}", share));
      const TrueClass rows =
          true_class(Context(), made.get(), group->models[series], query_splits());
      scores.insert(scores.end(), rows.log_probability.begin(), rows.log_probability.end());
      membership.insert(membership.end(), rows.log_probability.size(), share);
    }
    expected.push_back(spearman(scores, membership).rho);
  }
  const Row* loss = find_row(measured, "score_ui.loss");
  EXPECT_NEAR(loss->value, mean(expected), 1e-15);
  EXPECT_EQ(loss->n, 2U * kSteps * (120 + 150));
  EXPECT_EQ(loss->facts["series"], 2);
  EXPECT_EQ(loss->facts["own_shadow"], "left out");
  EXPECT_EQ(loss->subject.id(), "checkpoint");
  EXPECT_EQ(loss->interval.code, Code::t_over_series);
}

TEST(ScoreUi, IamFollowsTheWayBetterThanTheLossAndNoiseNotAtAll) {
  ShadowEvidence made = on_the_way(3);
  const Measurements measured = measure_score_ui(made.get());
  // Rows differ in difficulty by a standard normal, which the loss cannot tell from membership and
  // scores between shadow and original can: the paper's finding (Table 2).
  const double loss = find_row(measured, "score_ui.loss")->value;
  for (const char* mode : {"score_ui.iam.online", "score_ui.emia_r", "score_ui.lira.offline",
                           "score_ui.rmia.offline"}) {
    EXPECT_GT(find_row(measured, mode)->value, 0.3) << mode;
  }
  EXPECT_GT(find_row(measured, "score_ui.iam.online")->value, loss);
  EXPECT_GT(find_row(measured, "score_ui.iam.offline")->value, 0.5);
  // Standard error 1 / sqrt(1350) = 0.027 per series.
  EXPECT_NEAR(find_row(measured, "score_ui.random")->value, 0, 0.1);
  for (const Row& row : measured.rows) {
    EXPECT_EQ(row.status, row.metric == "score_ui.unleak" ? Status::skipped : Status::ok)
        << row.metric;
  }
  EXPECT_EQ(measured.rows.size(), score_ui_family().metrics.size());
}

TEST(ScoreUi, ASeriesIsNotScoredByTheShadowThatItBeganWith) {
  // Shadow 0 alone scores the series of shadow 1, and nobody that of shadow 0.
  ShadowEvidence made = on_the_way(1);
  const Measurements measured = measure_score_ui(made.get());
  const Row* row = find_row(measured, "score_ui.iam.online");
  EXPECT_EQ(row->status, Status::ok);
  EXPECT_EQ(row->facts["series"], 1);
  EXPECT_EQ(find_row(measured, "score_ui.loss")->facts["series"], 2);
  EXPECT_EQ(score_ui_family().support(made.get()).reason.code, Code::without_shadow_attacks);
}

// T and a against the pure functions: series 1, which shadow 0 alone scores.
TEST(ScoreUi, RmiaFollowsTheOptionsOfAttacks) {
  ShadowEvidence made = on_the_way(1);
  const evidence::Evidence& evidence = made.get();
  const double T = 1, a = 0.6;  // the published code's values for CIFAR-100
  const auto ratios = [&](const evidence::Model& model, const char* split) {
    const auto signals = [&](const evidence::Model& of) {
      return rmia_signals(evidence::matrix(of.outputs.at(split)), *evidence.find_labels(split),
                          {.temperature = T});
    };
    return likelihood_ratios(signals(model),
                             offline_reference(signals(evidence.find("shadow")->models[0]), a));
  };
  std::vector<double> scores, membership;
  for (int step = 1; step <= kSteps; ++step) {
    const double share = static_cast<double>(step) / kSteps;
    const evidence::Model& model =
        evidence.find("checkpoint", fmt::format("graded.{:g}", share))->models[1];
    for (const std::string_view split : query_splits()) {
      const auto part = rmia_scores(ratios(model, std::string(split).c_str()),
                                    ratios(model, "test"), 2, PairRule::reciprocal);
      scores.insert(scores.end(), part.begin(), part.end());
      membership.insert(membership.end(), part.size(), share);
    }
  }
  const Measurements measured =
      measure_score_ui(evidence, {{"attacks.rmia_temperature", T}, {"attacks.rmia_a", a}});
  const Row* row = find_row(measured, "score_ui.rmia.offline");
  EXPECT_NEAR(row->value, spearman(scores, membership).rho, 1e-12);
  EXPECT_EQ(row->settings["temperature"], T);
  EXPECT_EQ(row->settings["a"], a);
  EXPECT_FALSE(
      find_row(measure_score_ui(evidence), "score_ui.rmia.offline")->settings.contains("a"));
}

TEST(ScoreUi, UnLeakLearnsFromPairsOfOtherShadows) {
  ShadowEvidence made = on_the_way(0);
  for (const char* name : {"0", "1"}) {
    // What unlearning looks like: before, both were fitted; after, shadow_forget is not.
    made.add("shadow", "", name,
             {{"forget", 0},
              {"retain", 0},
              {"test", 0},
              {"shadow_train", 3},
              {"shadow_forget", 0},
              {"shadow_retain", 3}});
    made.add("shadow", "", std::string(name) + ".original",
             {{"shadow_forget", 3}, {"shadow_retain", 3}});
  }
  const Measurements measured = measure_score_ui(made.get());
  const Row* row = find_row(measured, "score_ui.unleak");
  EXPECT_EQ(row->status, Status::ok);
  EXPECT_GT(row->value, 0.3);
  // The other half of a pair is no shadow model.
  EXPECT_EQ(row->facts["shadows"], 1);
}

TEST(ScoreUi, OnlyDeclaredCheckpointsCount) {
  ShadowEvidence made = on_the_way(2);
  const double before = find_row(measure_score_ui(made.get()), "score_ui.loss")->value;
  made.add("checkpoint", "original.0.5", "0", {{"forget", 0}, {"retain", 0}, {"test", 0}});
  EXPECT_EQ(find_row(measure_score_ui(made.get()), "score_ui.loss")->value, before);
  EXPECT_TRUE(score_ui_family().support(made.get()).supported);
  made.get().membership.clear();
  const Support support = score_ui_family().support(made.get());
  EXPECT_FALSE(support.supported);
  EXPECT_EQ(support.reason.code, Code::needs_graded_checkpoints);
}

TEST(ScoreUi, WithoutShadowsSomeAttacksAreLeft) {
  ShadowEvidence made = on_the_way(0);
  EXPECT_TRUE(score_ui_family().support(made.get()).supported);
  const Measurements measured = measure_score_ui(made.get());
  EXPECT_EQ(find_row(measured, "score_ui.iam.online")->status, Status::skipped);
  EXPECT_EQ(find_row(measured, "score_ui.emia_p")->status, Status::ok);
}

}  // namespace
}  // namespace vestige::metrics
