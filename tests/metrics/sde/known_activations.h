// Activations whose answer is known by construction, and the family sde on them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/metrics/support/measured.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/sde/sde_family.h"

namespace vestige::metrics::known_activations {

inline constexpr std::size_t kColumns = 8;

inline evidence::Array normal_rows(std::size_t rows, double scale, std::uint64_t index) {
  Stream stream(51, "test.sde_family", index);
  std::vector<double> values(rows * kColumns);
  for (double& value : values) value = scale * stream.normal();
  return evidence::Array::from_doubles(std::move(values), {rows, kColumns});
}

// Rows that the model trained on are spread more widely than others, which is what raises H.
inline evidence::Model model_of(const std::string& role, const std::string& layer,
                                double forget_scale, std::size_t forget_rows = 300) {
  evidence::Model model;
  model.role = role;
  model.name = "0";
  auto& splits = model.activations[layer];
  splits["forget"] = normal_rows(forget_rows, forget_scale, 1);
  splits["retain"] = normal_rows(400, 1.4, 2);
  splits["test"] = normal_rows(400, 1.0, 3);
  return model;
}

inline evidence::Evidence known_evidence(const std::string& layer = "penultimate",
                                         std::size_t forget_rows = 300) {
  evidence::Evidence evidence;
  evidence.classes = 2;
  for (const auto& [role, scale] : {std::pair("original", 1.4), std::pair("retrained", 1.0)}) {
    evidence::Group group{role, "", {model_of(role, layer, scale, forget_rows)}};
    evidence.groups.push_back(std::move(group));
  }
  return evidence;
}

inline Comparison compare(const evidence::Evidence& evidence, const evidence::Model& model) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = subject_of(model);
  comparison.candidate = {&model};
  return comparison;
}

inline Request quick(Json options = Json::object()) {
  Request request;
  request.options = {{"sde.subsets", 20}, {"sde.shuffles", 50}, {"sde.reference_draws", 8}};
  request.options.update(options);
  return request;
}

inline Measurements sde_of(const evidence::Evidence& evidence, const evidence::Model& model,
                           const Request& request) {
  return measured(sde_family(), compare(evidence, model), request);
}

inline const Row& find(const Measurements& measured, const std::string& metric) {
  for (const Row& row : measured.rows) {
    if (row.metric == metric) return row;
  }
  ADD_FAILURE() << "no row " << metric;
  static const Row none;
  return none;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace vestige::metrics::known_activations
