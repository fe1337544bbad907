// What the MIAU family says about itself: ids with their words in verdicts, and what it needs.
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/held_rows.h"
#include "vestige/metrics/miau/miau_family.h"

namespace vestige::metrics {

// The family judges for itself whether the attack can tell original from retrained
// (task_reliability), so the audit need not ask again.
std::vector<MetricInfo> miau_metrics() {
  return {
      {.id = "miau.score",
       .direction = Direction::higher,
       .ideal = 100,
       .name = "MIAU score",
       .what =
           "share of the attack gap between original and retrained model that is closed, 0 to 100",
       .brief = "MIAU"},
      {"miau.mus.forget_retain", Direction::higher, 100, "MIAU on forget vs retain",
       "matching score on forget vs retain"},
      {"miau.mus.forget_test", Direction::higher, 100, "MIAU on forget vs test",
       "matching score on forget vs test"},
      {"miau.mus.retain_test", Direction::higher, 100, "MIAU on retain vs test",
       "matching score on retain vs test"},
      {.id = "miau.mia.forget_retain",
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = "MIAU attack accuracy, forget vs retain",
       .what = "attack accuracy on forget vs retain, in per cent",
       .speech =
           Speech{.place = 70,
                  .under = "to a membership attack the forget set still looks like training data",
                  .over = "the forget set stands out more than examples that the model never saw",
                  .against_retain = true}},
      {.id = "miau.mia.forget_test",
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = "MIAU attack accuracy, forget vs test",
       .what = "attack accuracy on forget vs test, in per cent",
       .speech =
           Speech{.place = 71,
                  .under = "to a membership attack the forget set still looks like training data",
                  .over = "the forget set looks less like unseen examples than it does to "
                          "retrained models"}},
      {"miau.mia.retain_test", Direction::match, kUndefined, "MIAU attack accuracy, retain vs test",
       "attack accuracy on retain vs test, in per cent"},
      {"miau.mia.train_test", Direction::match, kUndefined, "MIAU attack accuracy, train vs test",
       "attack accuracy on forget and retain vs test, in per cent"},
      {"miau.nomus", Direction::higher, 1, "NoMUS",
       "half test accuracy, half distance of the attack on forget vs test from a perfect one"},
      {"miau.table4.lira.auc", Direction::match, kUndefined, "LiRA, train vs test",
       "AUC of LiRA on train vs test"},
      {"miau.table4.shadow.auc", Direction::match, kUndefined, "shadow attack, train vs test",
       "AUC of a shadow-model classifier on train vs test"},
      {"miau.table4.quantile.auc", Direction::match, kUndefined,
       "quantile regression, train vs test", "AUC of quantile regression on train vs test"},
  };
}

std::vector<SeriesInfo> miau_series() {
  return {
      {"histogram", "miau.mia", "Membership attacks", "{}: how often the attack was right",
       "Each value is one attack on newly drawn examples. Where the values of the original and the "
       "retrained model overlap, the score divides by noise.",
       "Attack accuracy (%)"}};
}

Support miau_support(const evidence::Evidence& evidence) {
  const auto complete = [&](const char* role) {
    const evidence::Group* group = evidence.find(role);
    return group != nullptr && has_outputs(group->models.front(), {"forget", "retain", "test"});
  };
  bool any = complete("original") || complete("retrained");
  for (const evidence::Group* group : evidence.unlearned()) {
    any = any || has_outputs(group->models.front(), {"forget", "retain", "test"});
  }
  if (!any) {
    return {false, reason(Code::needs_outputs, std::vector<std::string>{"forget", "retain", "test"},
                          "{original,retrained,unlearned/METHOD}/0/{forget,retain,test}.npy")};
  }
  if (!complete("original")) {
    return {true, reason(Code::without_miau_score, reason(Code::needs_original_model,
                                                          "original/0/{forget,retain,test}.npy"))};
  }
  if (!complete("retrained")) {
    return {true, reason(Code::without_miau_score, reason(Code::needs_retrained_model,
                                                          "retrained/0/{forget,retain,test}.npy"))};
  }
  return {true};
}

Reason miau_impossible(const Planned& planned) {
  if (!planned.asks("miau")) return {};
  for (const char* role : {"original", "retrained"}) {
    if (planned.models.at(role) > 0) continue;
    return reason(Code::planned_models_missing, "miau", role, 1);
  }
  return {};
}

}  // namespace vestige::metrics
