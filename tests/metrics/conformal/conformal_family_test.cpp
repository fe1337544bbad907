// The conformal family on shipped evidence and on small evidence made here.
#include "vestige/metrics/conformal/conformal_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/metrics/conformal/made_evidence.h"
#include "tests/support.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics {
namespace {

using namespace made_evidence;
using vestige::testing::error_of;
using vestige::testing::holds;

Reasons cautions(const Evidence& evidence) {
  const Reason all = conformal_family().support(evidence).reason;
  return all.empty() ? Reasons{} : std::get<Reasons>(argument(all, "reasons"));
}

// Expected values: a numpy script of the definitions (softmax in double, np.sort, np.quantile) on
// the same files.
TEST(ConformalFamily, ShippedEvidence) {
  const evidence::Reading reading =
      evidence::load(std::string(VESTIGE_SOURCE_DIR) + "/demo/fashion-one");
  const Measurements retrained =
      measure_model(reading.evidence, reading.evidence.find("retrained")->models.front());
  EXPECT_NEAR(value(retrained, "conformal.q", 0.05), 0.9748453528, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.q", 0.05, "paper"), 0.9739024120, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.coverage.forget", 0.05), 0.9525, 1e-12);
  EXPECT_NEAR(value(retrained, "conformal.set_size.forget", 0.05), 1.185, 1e-12);
  EXPECT_NEAR(value(retrained, "conformal.cr.forget", 0.05), 0.8037974684, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.forget", 0.05, "paper"), 0.8054968288, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.test", 0.05), 0.8164556962, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.forget", 0.2), 0.9518413598, 1e-9);
  EXPECT_NEAR(value(retrained, "conformal.cr.test", 0.2, "paper"), 0.9705014749, 1e-9);
  EXPECT_EQ(value(retrained, "conformal.mislabel"), 38);
  EXPECT_EQ(value(retrained, "conformal.fake_forgetting", 0.05), 0.5);
  EXPECT_EQ(find(retrained, "conformal.fake_forgetting", 0.05)->facts["in_set"], 19);
  EXPECT_EQ(value(retrained, "conformal.ua"), 38.0 / 400);

  const Measurements original =
      measure_model(reading.evidence, reading.evidence.find("original")->models.front());
  EXPECT_EQ(value(original, "conformal.cr.forget", 0.05), 1);
  EXPECT_NEAR(value(original, "conformal.cr.test", 0.05), 0.8250539957, 1e-9);
  // Both rules give 1.0000 on forget, so there is one row; no mis-label, so no ratio.
  EXPECT_EQ(find(original, "conformal.cr.forget", 0.05, "paper"), nullptr);
  const Row* fake = find(original, "conformal.fake_forgetting", 0.05);
  ASSERT_NE(fake, nullptr);
  EXPECT_TRUE(std::isnan(fake->value));
  EXPECT_EQ(fake->status, Status::undefined);
  // Fewer mis-fits than retrained: the attack calls more of its forget rows members.
  EXPECT_GT(value(original, "conformal.mia"), value(retrained, "conformal.mia"));
  EXPECT_LT(value(original, "conformal.miacr", 0.05), value(retrained, "conformal.miacr", 0.05));
}

// One model without calibration rows: then no model is calibrated on them, so that rows compare.
TEST(ConformalFamily, OneSourceOfCalibrationForAllModels) {
  Evidence evidence =
      evidence::load(std::string(VESTIGE_SOURCE_DIR) + "/demo/fashion-one").evidence;
  const auto source = [&evidence](const char* role) {
    const Measurements measured = measure_model(evidence, evidence.find(role)->models.front());
    return find(measured, "conformal.q", 0.05)->facts["calibration"];
  };
  EXPECT_EQ(source("original"), "calibration");
  for (evidence::Group& group : evidence.groups) {
    if (group.role == "retrained") group.models.front().outputs.erase("calibration");
  }
  EXPECT_EQ(source("retrained"), "half of test");
  EXPECT_EQ(source("original"), "half of test");
  EXPECT_EQ(cautions(evidence).at(0).code, Code::test_set_calibrates);
}

TEST(ConformalFamily, RowsCarryWhatReadsThem) {
  const Evidence evidence = make(random_forgetting());
  const Measurements measured = measure(evidence);
  std::set<std::string> known;
  for (const MetricInfo& info : std::vector<MetricInfo>(conformal_family().metrics))
    known.insert(std::string(info.id));
  for (const Row& row : measured.rows) {
    EXPECT_EQ(known.count(row.metric), 1u) << row.metric;
    EXPECT_EQ(row.subject.id(), "unlearned/finetune/0");
    if (!row.terms.empty()) {
      const double mean = std::accumulate(row.terms.begin(), row.terms.end(), 0.0) /
                          static_cast<double>(row.terms.size());
      EXPECT_NEAR(mean, row.value, 1e-12) << row.metric;
    }
    if (row.metric.starts_with("conformal.c")) {
      EXPECT_EQ(row.settings["score"], "scp");
      EXPECT_LE(row.lower, row.value);
      EXPECT_GE(row.upper, row.value);
    }
  }
  for (const double alpha : {0.05, 0.1, 0.15, 0.2}) {
    for (const char* id :
         {"conformal.cr.forget", "conformal.cr.test", "conformal.coverage.forget",
          "conformal.coverage.test", "conformal.set_size.forget", "conformal.set_size.test",
          "conformal.q", "conformal.miacr", "conformal.mia.q"}) {
      EXPECT_NE(find(measured, id, alpha), nullptr) << id << alpha;
    }
    for (const char* id : {"conformal.fake_forgetting", "conformal.mia.fake_forgetting"}) {
      const Row* fake = find(measured, id, alpha);
      ASSERT_NE(fake, nullptr) << id << alpha;
      EXPECT_LE(fake->facts["in_set"], fake->facts["mislabel"]);
    }
  }
  EXPECT_EQ(measured.rows.front().settings["alpha"], 0.05);
  EXPECT_EQ(find(measured, "conformal.cr.test_forget"), nullptr);
  EXPECT_EQ(find(measured, "conformal.q.forget"), nullptr);
  const Row* q = find(measured, "conformal.q", 0.05);
  EXPECT_EQ(q->n, 100u);
  EXPECT_EQ(q->notes.at(0), reason(Code::few_calibration_examples, 100, 1000, q->lower, q->upper));
  EXPECT_LE(q->lower, q->value);
  EXPECT_EQ(q->facts["q_over_size"]["rows"], Json({50, 100}));
  EXPECT_EQ(q->facts["q_over_size"]["q"].back(), q->value);
}

TEST(ConformalFamily, OptionsAreFollowed) {
  const Evidence evidence = make(random_forgetting());
  const Measurements measured = measure(evidence, {{"conformal.alpha", 0.3},
                                                   {"conformal.score", "entmax"},
                                                   {"conformal.gamma", 2.0},
                                                   {"conformal.rule", "paper"}});
  const Row& first = measured.rows.front();
  EXPECT_EQ(first.settings["alpha"], 0.3);
  EXPECT_EQ(first.settings["score"], "entmax");
  EXPECT_EQ(first.facts["gamma"], 2.0);
  EXPECT_EQ(first.settings["rule"], "paper");
  EXPECT_NE(find(measured, "conformal.cr.forget", 0.05, "paper"), nullptr);
  // Against the functions themselves: entmax ignores what is added to a row.
  const Model& model = evidence.groups.back().models.front();
  const ScoreOptions options{.score = ConformalScore::entmax, .gamma = 2};
  const double q =
      conformal_quantile(calibration_scores(evidence::matrix(model.outputs.at("calibration")),
                                            evidence.labels.at("calibration"), options),
                         0.3, QuantileRule::paper);
  EXPECT_NEAR(first.value, q, 1e-12);
  for (const char* score : {"lac", "aps", "aps_randomised", "raps", "saps"}) {
    EXPECT_FALSE(measure(evidence, {{"conformal.score", score}}).rows.empty()) << score;
  }
}

// Without ties between rules: MIA and its mis-labels are one count, under either rule.
TEST(ConformalFamily, MemberRuleIsAnOption) {
  const Evidence evidence = make(random_forgetting());
  for (const char* rule : {"probability", "sign"}) {
    const Measurements measured = measure(evidence, {{"conformal.member", rule}});
    const Row* mia = find(measured, "conformal.mia");
    ASSERT_NE(mia, nullptr);
    EXPECT_EQ(mia->settings.contains("member"), std::string(rule) == "sign");
    const double mislabel = mia->facts["mislabel"].get<double>();
    EXPECT_NEAR(mislabel, static_cast<double>(mia->n) * (1 - mia->value), 1e-9);
    if (std::string(rule) == "sign") {
      EXPECT_NEAR(mia->facts["by_sign"].get<double>(), static_cast<double>(mia->n) * mia->value,
                  1e-9);
    }
    for (const double alpha : {0.05, 0.2}) {
      EXPECT_EQ(find(measured, "conformal.mia.fake_forgetting", alpha)->facts["mislabel"],
                mia->facts["mislabel"]);
    }
  }
}

TEST(ConformalFamily, SampleColumns) {
  const Evidence evidence = make(random_forgetting());
  const Measurements measured = measure(evidence);
  const auto& sizes = column(measured, "conformal.set_size.finetune").values;
  const auto& inside = column(measured, "conformal.in_set.finetune").values;
  const auto& texts = column(measured, "conformal.set.finetune").texts;
  const auto& membership = column(measured, "conformal.membership_set.finetune").texts;
  const auto& probability = column(measured, "conformal.true_probability.finetune").values;
  const auto& loss = column(measured, "conformal.loss.finetune").values;
  ASSERT_EQ(texts.size(), 40u);
  const auto& labels = evidence.labels.at("forget");
  double covered = 0, alone = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto words = static_cast<double>(
        texts[i].empty() ? 0 : 1 + std::count(texts[i].begin(), texts[i].end(), ' '));
    EXPECT_EQ(words, sizes[i]);
    const bool named = texts[i].find(std::to_string(labels[i])) != std::string::npos;
    EXPECT_EQ(named, inside[i] == 1);
    EXPECT_NEAR(loss[i], -std::log(probability[i]), 1e-12);
    covered += inside[i];
    alone += membership[i] == "0" ? 1 : 0;
  }
  EXPECT_EQ(covered / 40, value(measured, "conformal.coverage.forget", 0.05));
  EXPECT_EQ(alone / 40, value(measured, "conformal.miacr", 0.05));
  EXPECT_TRUE(measure_model(evidence, evidence.groups.back().models.front(), Json::object(),
                            Control::constant)
                  .columns.empty());
}

TEST(ConformalFamily, EmptySetsAreADefinedOutcome) {
  // Every calibration row is certain, every other row flat: q = 0 and no class reaches it.
  Evidence evidence = make(random_forgetting());
  Model& model = evidence.groups.back().models.front();
  for (auto& [split, outputs] : model.outputs) {
    const auto& labels = evidence.labels.at(split);
    outputs = logits(labels, 4, split == "calibration" ? 1000 : 0, 3);
  }
  const Measurements measured = measure(evidence);
  EXPECT_EQ(value(measured, "conformal.set_size.forget", 0.05), 0);
  EXPECT_EQ(value(measured, "conformal.coverage.forget", 0.05), 0);
  const Row* cr = find(measured, "conformal.cr.forget", 0.05);
  EXPECT_TRUE(std::isnan(cr->value));
  EXPECT_EQ(cr->status, Status::undefined);
  EXPECT_EQ(cr->notes.at(0).code, Code::prediction_sets_empty);
}

TEST(ConformalFamily, WithoutCalibrationHalfOfTestCalibrates) {
  Made made = random_forgetting();
  made.labels.erase("calibration");
  const Evidence evidence = make(made);
  const Measurements measured = measure(evidence);
  const Row* q = find(measured, "conformal.q", 0.05);
  EXPECT_EQ(q->n, 40u);
  EXPECT_EQ(q->facts["calibration"], "half of test");
  EXPECT_EQ(q->notes.at(0).code, Code::test_set_calibrates);
  EXPECT_EQ(find(measured, "conformal.cr.test", 0.05)->n, 40u);
  EXPECT_EQ(cautions(evidence).at(0).code, Code::test_set_calibrates);
  EXPECT_EQ(cautions(evidence).at(1).code, Code::few_calibration_examples);
  EXPECT_EQ(argument(cautions(evidence).at(1), "examples"), result::Argument(std::int64_t{40}));
}

// Shadow outputs beside the default: q from them, labels of calibration.
TEST(ConformalFamily, ShadowCalibration) {
  Evidence evidence = make(random_forgetting());
  Model& model = evidence.groups.back().models.front();
  model.outputs["calibration_shadow"] = logits(evidence.labels.at("calibration"), 4, 0.5, 77);
  const Measurements measured = measure(evidence);
  const Matrix shadow =
      evidence::probabilities(model.outputs.at("calibration_shadow"), evidence.kind);
  const double q =
      conformal_quantile(calibration_scores(shadow, evidence.labels.at("calibration")), 0.05);
  EXPECT_EQ(value(measured, "conformal.q", 0.05, "finite_sample", "shadow calibration"), q);
  EXPECT_NE(value(measured, "conformal.q", 0.05), q);
  EXPECT_NE(find(measured, "conformal.cr.forget", 0.05, "finite_sample", "shadow calibration"),
            nullptr);
  EXPECT_EQ(find(measured, "conformal.q", 0.05, "finite_sample", "semi-shadow calibration"),
            nullptr);
}

TEST(ConformalFamily, BadInputIsOneSentence) {
  Evidence evidence = make(random_forgetting());
  for (const double alpha : {0.0, 1.0, -1.0}) {
    EXPECT_TRUE(holds(error_of([&] {
                        measure(evidence, {{"conformal.alpha", alpha}});
                      }),
                      {"conformal.alpha"}));
  }
  EXPECT_TRUE(holds(error_of([&] {
                      measure(evidence, {{"conformal.score", "reaps"}});
                    }),
                    {"reaps"}));
  EXPECT_TRUE(holds(error_of([&] { measure(evidence, {{"conformal.rule", "x"}}); }), {"\"x\""}));
  for (std::size_t i = 0; i < 100; ++i) evidence.ids["calibration"].push_back(std::to_string(i));
  for (std::size_t i = 0; i < 80; ++i) evidence.ids["test"].push_back(std::to_string(93 + i));
  EXPECT_TRUE(holds(error_of([&] { measure(evidence); }), {"\"93\"", "calibration", "test"}));
  EXPECT_EQ(cautions(evidence).at(0), reason(Code::calibration_overlaps, "93", "test"));
  evidence.ids.clear();
  evidence.labels["calibration"].pop_back();
  EXPECT_TRUE(holds(error_of([&] { measure(evidence); }), {"100 rows", "99"}));
}

TEST(ConformalFamily, SkipsWhatIsMissing) {
  Made made = random_forgetting();
  made.labels.erase("calibration");
  made.labels.erase("test");
  Evidence evidence = make(made);
  EXPECT_FALSE(conformal_family().support(evidence).supported);
  Measurements measured = measure(evidence);
  ASSERT_EQ(measured.rows.size(), 1u);
  EXPECT_EQ(measured.rows[0].status, Status::skipped);
  EXPECT_EQ(measured.rows[0].notes.at(0),
            reason(Code::needs_calibration, 1000,
                   "unlearned/finetune/0/calibration.npy, labels/calibration.npy"));

  made = random_forgetting();
  made.labels.erase("retain");
  evidence = make(made);
  EXPECT_EQ(cautions(evidence).back(),
            reason(Code::scores_need_files, std::vector<std::string>{"MIACR"},
                   "ROLE/0/{retain,test}.npy"));
  measured = measure(evidence);
  EXPECT_EQ(find(measured, "conformal.miacr", 0.05)->status, Status::skipped);
  EXPECT_EQ(find(measured, "conformal.mia"), nullptr);
  EXPECT_TRUE(std::isfinite(value(measured, "conformal.cr.forget", 0.05)));
  EXPECT_FALSE(conformal_family().support(Evidence{}).supported);
}

}  // namespace
}  // namespace vestige::metrics
