// Small evidence for the conformal family, and the family on it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/metrics/support/measured.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/conformal/conformal_family.h"

namespace vestige::metrics::made_evidence {

using evidence::Evidence;
using evidence::Model;

/// Rows per split and labels of an evidence with one original and one unlearned model; logits are
/// normal with the label's raised by 2.
struct Made {
  std::map<std::string, std::vector<std::int64_t>> labels;
  std::size_t classes = 4;
};

inline std::vector<std::int64_t> cycle(std::size_t count, std::size_t classes) {
  std::vector<std::int64_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::int64_t>(i % classes);
  return labels;
}

inline evidence::Array logits(const std::vector<std::int64_t>& labels, std::size_t classes,
                              double lift, std::uint64_t seed) {
  Stream stream(seed, "conformal_family_test");
  std::vector<double> values;
  for (const std::int64_t label : labels) {
    for (std::size_t j = 0; j < classes; ++j) {
      values.push_back(stream.normal() + (static_cast<std::size_t>(label) == j ? lift : 0));
    }
  }
  return evidence::Array::from_doubles(std::move(values), {labels.size(), classes});
}

inline Evidence make(const Made& made) {
  Evidence result;
  result.classes = made.classes;
  result.labels = made.labels;
  std::uint64_t seed = 1;
  for (const char* role : {"original", "unlearned"}) {
    Model model;
    model.role = role;
    model.method = std::string(role) == "unlearned" ? "finetune" : "";
    model.name = "0";
    for (const auto& [split, labels] : made.labels) {
      model.outputs[split] = logits(labels, made.classes, 2, seed++);
    }
    result.groups.push_back({model.role, model.method, {model}});
  }
  return result;
}

inline Made random_forgetting() {
  return {{{"forget", cycle(40, 4)},
           {"retain", cycle(60, 4)},
           {"test", cycle(80, 4)},
           {"calibration", cycle(100, 4)}}};
}

inline Measurements measure_model(const Evidence& evidence, const Model& model,
                                  Json options = Json::object(), Control control = Control::none) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = subject_of(model);
  comparison.short_name = model.method.empty() ? model.role : model.method;
  comparison.candidate = {&model};
  comparison.control = control;
  Progress progress(ProgressStyle::quiet, "test", 1);
  return measured(conformal_family(), comparison, {.seed = 1, .options = std::move(options)});
}

inline Measurements measure(const Evidence& evidence, Json options = Json::object()) {
  return measure_model(evidence, evidence.groups.back().models.front(), std::move(options));
}

/// The first row of a metric at an alpha (any, if negative) under a rule; nullptr if none.
inline const Row* find(const Measurements& measured, std::string_view metric, double alpha = -1,
                       std::string_view rule = "finite_sample", std::string_view setup = "") {
  for (const Row& row : measured.rows) {
    if (row.metric != metric || row.settings.value("setup", "") != setup) continue;
    if (alpha >= 0 && (row.settings["alpha"] != alpha || row.settings["rule"] != rule)) continue;
    return &row;
  }
  return nullptr;
}

inline double value(const Measurements& measured, std::string_view metric, double alpha = -1,
                    std::string_view rule = "finite_sample", std::string_view setup = "") {
  const Row* row = find(measured, metric, alpha, rule, setup);
  EXPECT_NE(row, nullptr) << metric << " " << alpha << " " << rule;
  return row == nullptr ? kUndefined : row->value;
}

inline const SampleColumn& column(const Measurements& measured, std::string_view name) {
  for (const SampleColumn& found : measured.columns) {
    if (found.name == name) return found;
  }
  throw std::runtime_error("no column " + std::string(name));
}

}  // namespace vestige::metrics::made_evidence
