// Synthetic evidence whose models are confident about the true class by as much as one says, split
// by split; the attack families are tested on it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics::confident {

using evidence::Array;
using evidence::Evidence;
using evidence::Group;
using evidence::Model;

inline constexpr std::size_t kClasses = 3;
inline constexpr std::size_t kForget = 60, kRetain = 150, kTest = 120;

/// How confident a model is about the true class (class 0) on each split: the logit's mean.
struct Confidence {
  double forget = 0;
  double retain = 0;
  double test = 0;
};

inline Array logits(const std::string& purpose, std::size_t rows, double shift) {
  Stream stream(1, "attack_families_test." + purpose);
  std::vector<double> values(rows * kClasses);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = stream.normal() + (i % kClasses == 0 ? shift : 0);
  }
  return Array::from_doubles(std::move(values), {rows, kClasses});
}

inline Model make_model(const std::string& role, const std::string& method, const std::string& name,
                        const Confidence& shift) {
  Model model;
  model.role = role;
  model.method = method;
  model.name = name;
  const std::string id = role + method + name;
  model.outputs["forget"] = logits(id + "forget", kForget, shift.forget);
  model.outputs["retain"] = logits(id + "retain", kRetain, shift.retain);
  model.outputs["test"] = logits(id + "test", kTest, shift.test);
  return model;
}

inline Group make_group(const std::string& role, const std::string& method, const Confidence& shift,
                        std::size_t models = 1) {
  Group group{role, method, {}};
  for (std::size_t i = 0; i < models; ++i) {
    group.models.push_back(make_model(role, method, std::to_string(i), shift));
  }
  return group;
}

/// The original treats forget like retain, the retrained model like test.
inline Evidence telling_evidence(std::size_t models = 1) {
  Evidence evidence;
  evidence.classes = kClasses;
  evidence.labels["forget"].assign(kForget, 0);
  evidence.labels["retain"].assign(kRetain, 0);
  evidence.labels["test"].assign(kTest, 0);
  evidence.groups.push_back(make_group("original", "", {6, 6, 0}, models));
  evidence.groups.push_back(make_group("retrained", "", {0, 6, 0}, models));
  evidence.groups.push_back(make_group("unlearned", "half", {3, 6, 0}, models));
  return evidence;
}

inline Models pointers(const Group* group) {
  Models models;
  for (const Model& model : group->models) models.push_back(&model);
  return models;
}

inline Comparison compare(const Evidence& evidence, const std::string& role,
                          const std::string& method = {}, Control control = Control::none) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.candidate = pointers(evidence.find(role, method));
  comparison.subject = subject_of(*comparison.candidate.front());
  if (const Group* group = evidence.find("original")) comparison.original = pointers(group);
  if (const Group* group = evidence.find("retrained"); group != nullptr && role != "retrained") {
    comparison.retrained = pointers(group);
  }
  comparison.control = control;
  return comparison;
}

inline const Row& find(const Measurements& measured, std::string_view id) {
  for (const Row& row : measured.rows) {
    if (row.metric == id) return row;
  }
  throw std::runtime_error("no row " + std::string(id));
}

}  // namespace vestige::metrics::confident
