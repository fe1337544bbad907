// Small results.json objects for the report's tests.
#pragma once

#include <string>

#include "vestige/base/json.h"

namespace vestige::testing {

inline Json made_row(const std::string& metric, const std::string& model, const Json& value,
                     const std::string& control = "") {
  return {
      {"metric", metric},   {"model", model},           {"value", value}, {"lower", nullptr},
      {"upper", nullptr},   {"interval", ""},           {"n", 10},        {"direction", "lower"},
      {"ideal", nullptr},   {"reference", nullptr},     {"status", "ok"}, {"note", ""},
      {"control", control}, {"params", Json::object()}, {"seed", 1}};
}

/// Two metrics on a method and its controls.
inline Json made_results(const std::string& method = "finetune") {
  Json results = {{"schema", 1},
                  {"evidence", {{"path", "some/evidence"}, {"grade", "B"}}},
                  {"results", Json::array()}};
  for (const char* metric : {"utility.accuracy.test", "iam.online.auc"}) {
    results["results"].push_back(made_row(metric, "retrained/0", 0.5, "floor"));
    results["results"].push_back(made_row(metric, "unlearned/" + method + "/0", 0.625));
    results["results"].push_back(made_row(metric, "original/0", 0.75, "ceiling"));
  }
  return results;
}

}  // namespace vestige::testing
