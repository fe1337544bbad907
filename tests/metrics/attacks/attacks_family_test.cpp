// The attack family on evidence whose answer is known.
#include "vestige/metrics/attacks/attacks_family.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/shadow_evidence.h"

namespace vestige::metrics {
namespace {

Measurements measure_attacks(const Comparison& comparison) {
  Progress progress("test", 1);
  return measured(attacks_family(), comparison, {1, Json::object()});
}

TEST(AttacksFamily, EveryAttackSeesTheDifferenceThatIsThere) {
  ShadowEvidence made;
  made.add_usual(3);
  // A pair that shows what unlearning looks like: confidence falls on shadow_forget only.
  made.add("shadow", "", "p", {{"shadow_forget", 3}, {"shadow_retain", 3}});
  made.add("shadow", "", "p.unlearned", {{"shadow_forget", 0}, {"shadow_retain", 3}});
  const Measurements retrained = measure_attacks(made.comparison("retrained", "", Control::floor));
  for (const Row& row : retrained.rows) {
    EXPECT_EQ(row.status, Status::ok) << row.metric;
    if (row.metric == "attacks.random.auc") {
      EXPECT_NEAR(row.value, 0.5, 0.12);  // 4 standard errors with 120 and 150 rows: 0.14
    } else {
      EXPECT_GT(row.value, 0.6) << row.metric << " " << row.settings.dump();
    }
    EXPECT_EQ(row.interval, "DeLong 95 %");
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
  const Measurements retrained = measure_attacks(made.comparison("retrained", "", Control::floor));
  EXPECT_GT(find_row(retrained, "attacks.unleak.auc")->value, 0.6);
  EXPECT_EQ(find_row(retrained, "attacks.unleak.auc")->facts["shadows"], 1);
}

TEST(AttacksFamily, MissingPartsAreSkippedWithASentence) {
  ShadowEvidence made;
  made.add("unlearned", "nothing", "0", {{"forget", 3}, {"retain", 3}});
  EXPECT_TRUE(attacks_family().support(made.get()).supported);
  EXPECT_EQ(attacks_family().support(made.get()).sentence.find("loss, EMIA-P and random only"), 0U);
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
    EXPECT_FALSE(row->note.empty()) << id;
  }
  EXPECT_EQ(find_row(measured, "attacks.unleak.auc")->note.find("needs shadow pairs: add"), 0U);
  // Controls do not repeat what is missing.
  for (const Row& row :
       measure_attacks(made.comparison("unlearned", "nothing", Control::floor)).rows) {
    EXPECT_EQ(row.status, Status::ok) << row.metric;
  }
}

TEST(AttacksFamily, ProbabilitiesHaveNoTaylorForm) {
  ShadowEvidence made;
  made.add_usual(1);
  made.get().kind = evidence::OutputKind::log_probabilities;
  const Measurements measured =
      measure_attacks(made.comparison("unlearned", "nothing", Control::none));
  EXPECT_EQ(find_row(measured, "attacks.rmia.online.auc", "taylor")->status, Status::skipped);
  EXPECT_EQ(find_row(measured, "attacks.rmia.online.auc", "softmax")->status, Status::ok);
  EXPECT_EQ(find_row(measured, "attacks.emia_r.auc", "reference"), nullptr);
}

TEST(AttacksFamily, OneShadowIsToldToSayLittle) {
  ShadowEvidence made;
  made.add_usual(1);
  const Measurements measured =
      measure_attacks(made.comparison("unlearned", "nothing", Control::none));
  EXPECT_EQ(find_row(measured, "attacks.lira.offline.auc", "iam")->note.find("one shadow model"),
            0U);
}

}  // namespace
}  // namespace vestige::metrics
