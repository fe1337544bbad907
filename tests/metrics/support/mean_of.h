// A group of means over examples (metrics/mean_family.h) on probabilities that a test writes down.
#pragma once

#include <string>
#include <vector>

#include "tests/metrics/support/measured.h"
#include "vestige/evidence/evidence.h"

namespace vestige::metrics {

/// The row of `id` for one model with these probabilities and labels on forget, retain and test.
inline Row mean_of(const Family& family, const std::string& id,
                   const std::vector<std::vector<double>>& probabilities,
                   const std::vector<std::int64_t>& labels) {
  std::vector<double> all;
  for (const auto& row : probabilities) all.insert(all.end(), row.begin(), row.end());
  evidence::Evidence evidence;
  evidence.kind = evidence::OutputKind::probabilities;
  evidence.classes = probabilities.front().size();
  evidence::Model model;
  model.role = "original";
  model.name = "0";
  for (const char* split : {"forget", "retain", "test"}) {
    evidence.labels[split] = labels;
    model.outputs[split] =
        evidence::Array::from_doubles(all, {probabilities.size(), evidence.classes});
  }
  evidence.groups.push_back({"original", "", {model}});
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = {"original", "", "0"};
  comparison.candidate = {&evidence.groups[0].models[0]};
  for (const Row& row : measured(family, comparison).rows) {
    if (row.metric == id) return row;
  }
  return {};
}

}  // namespace vestige::metrics
