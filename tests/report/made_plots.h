// Results for the tests of plots: series of every kind, verdicts with costs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/report/made_results.h"

namespace vestige::testing {

inline Json series(const std::string& kind, const std::string& metric, const std::string& model,
                   const std::string& group, const std::string& control, const Json& columns,
                   const Json& params = Json::object()) {
  return {{"kind", kind},
          {"metric", metric},
          {"subject", report::subject_json(metrics::parse_subject(model))},
          {"group", group},
          {"params", params},
          {"control", control},
          {"columns", columns}};
}

inline Json with_series() {
  Json results = made_results();
  const Json bins = {{"left", {0, 1}}, {"right", {1, 2}}, {"count", {3, 1}}};
  results["series"] = {
      series("histogram", "epsilon", "unlearned/finetune", "forget", "", bins),
      series("sorted", "epsilon", "unlearned/finetune", "", "",
             {{"share", {0.5, 1}}, {"value", {2, nullptr}}}),
      series("histogram", "epsilon.confidence", "unlearned/finetune", "retrained", "", bins,
             {{"row", 4}, {"place", "largest"}}),
      series("roc", "iam.online", "unlearned/finetune/0", "", "",
             {{"fpr", {0, 0.001, 1}}, {"tpr", {0, 0.5, 1}}}),
      series("histogram", "iam.online", "unlearned/finetune/0", "forget", "", bins),
      series("histogram", "iam.online", "unlearned/finetune/0", "retain", "", bins),
      series("histogram", "sde.h", "original/0", "forget", "original", bins, {{"layer", "last"}}),
      series("curve", "conformal.q", "original/0", "", "original", {{"x", {1, 2}}, {"y", {3, 4}}},
             {{"x", "calibration rows"}})};
  return results;
}

/// A method at `distance` on a scale where the original is at 0.8 and retrained at 0.6, which lost
/// this much accuracy (plus or minus 0.01).
inline audit::Verdict priced_verdict(const std::string& method, double distance, double accuracy,
                                     bool lost) {
  audit::VerdictTest core;
  core.metric = "holdout_gap.probability";
  core.core = true;
  core.original = 0.8, core.retrained = 0.6, core.reference_difference = 0.2, core.margin = 0.05;
  core.difference.estimate = 0.2 * distance;
  core.difference.lower = 0.2 * (distance - 0.1);
  core.difference.upper = 0.2 * (distance + 0.1);
  audit::VerdictTest utility;
  utility.metric = "utility.accuracy.test";
  utility.retrained = 0.9;
  utility.difference.estimate = accuracy;
  utility.difference.lower = accuracy - 0.01;
  utility.difference.upper = accuracy + 0.01;
  if (lost) utility.shows = audit::Leaning::utility_loss;
  audit::Verdict verdict;
  verdict.method = method;
  verdict.tests = {core, utility};
  return verdict;
}

inline report::Results priced_results() {
  report::Results results;
  // The original has 0.02 more than retrained.
  study::StudyRow original;
  original.row.metric = "utility.accuracy.test";
  original.row.subject = {"original", "", "0"};
  original.row.control = metrics::Control::original;
  original.row.value = 0.92, original.row.reference = 0.9;
  results.rows.push_back(original);
  results.verdicts = {priced_verdict("quick", 0.8, 0, false), priced_verdict("slow", 0.1, 0, false),
                      priced_verdict("worse", 0.9, -0.02, false),
                      priced_verdict("ruin", 0.05, -0.2, true),
                      priced_verdict("identity", 1, 0.02, false)};
  results.bench.emplace();
  for (const auto& [method, seconds] : std::vector<std::pair<std::string, double>>{
           {"quick", 1}, {"slow", 30}, {"worse", 2}, {"ruin", 0.5}, {"identity", 0.1}}) {
    results.bench->costs.push_back(
        {.method = method, .seconds = seconds, .retraining_seconds = 60});
  }
  return results;
}

}  // namespace vestige::testing
