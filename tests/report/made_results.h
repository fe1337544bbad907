// Small results for the report's tests, as results.json has them.
#pragma once

#include <string>

#include "vestige/base/json.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/row_json.h"

namespace vestige::testing {

inline Json made_row(const std::string& metric, const std::string& model, const Json& value,
                     const std::string& control = "") {
  return {{"metric", metric},
          {"subject", report::subject_json(metrics::parse_subject(model))},
          {"value", value},
          {"lower", nullptr},
          {"upper", nullptr},
          {"interval", ""},
          {"n", 10},
          {"direction", "lower"},
          {"ideal", nullptr},
          {"reference", nullptr},
          {"status", "ok"},
          {"note", ""},
          {"control", control},
          {"settings", Json::object()},
          {"facts", Json::object()},
          {"seed", 1}};
}

/// Two metrics on a method and its controls.
inline Json made_results(const std::string& method = "finetune") {
  Json results = {{"schema", 2},
                  {"evidence", {{"path", "some/evidence"}, {"grade", "B"}}},
                  {"results", Json::array()}};
  for (const char* metric : {"utility.accuracy.test", "iam.online.auc"}) {
    results["results"].push_back(made_row(metric, "retrained/0", 0.5, "retrained"));
    results["results"].push_back(made_row(metric, "unlearned/m/0", 0.625));
    results["results"].back()["subject"]["method"] = method;
    results["results"].push_back(made_row(metric, "original/0", 0.75, "original"));
  }
  return results;
}

/// The same with a model part of the way through training.
inline Json with_checkpoint() {
  Json results = made_results();
  for (const char* metric : {"utility.accuracy.test", "iam.online.auc"}) {
    results["results"].push_back(
        made_row(metric, "checkpoint/original.0.5/0", 0.6875, "checkpoint"));
  }
  return results;
}

inline report::Results read(const Json& json) { return report::results_of(json, "the test"); }

}  // namespace vestige::testing
