// Evidence in memory for tests of the shadow-model families: classes are predicted with a
// confidence that depends on what each model was trained on, so that the right answer is known.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

class ShadowEvidence {
 public:
  static constexpr std::size_t kClasses = 5;

  ShadowEvidence() {
    evidence_.classes = kClasses;
    add_split("forget", 120);
    add_split("retain", 150);
    add_split("test", 100);
    add_split("shadow_train", 80);
    add_split("shadow_forget", 60);
    add_split("shadow_retain", 60);
  }

  /// `gain` per split: how much a model that fitted its rows adds to the true-class logit.
  void add(const std::string& role, const std::string& method, const std::string& name,
           const std::vector<std::pair<std::string, double>>& gains) {
    evidence::Model model;
    model.role = role;
    model.method = method;
    model.name = name;
    Stream stream(7, "test.shadow." + model.id());
    for (const auto& [split, gain] : gains) {
      const auto& labels = evidence_.labels.at(split);
      std::vector<double> logits;
      for (std::size_t row = 0; row < labels.size(); ++row) {
        for (std::size_t index = 0; index < kClasses; ++index) {
          const bool truth = static_cast<std::size_t>(labels[row]) == index;
          logits.push_back(0.4 * stream.normal() + (truth ? 1 + easy_.at(split)[row] + gain : 0));
        }
      }
      model.outputs[split] = evidence::Array::from_doubles(logits, {labels.size(), kClasses});
    }
    for (evidence::Group& group : evidence_.groups) {
      if (group.role == role && group.method == method) {
        group.models.push_back(std::move(model));
        return;
      }
    }
    evidence_.groups.push_back({role, method, {}});
    evidence_.groups.back().models.push_back(std::move(model));
  }

  /// Original, retrained, one method that forgets nothing, and `shadows` shadow models.
  void add_usual(std::size_t shadows) {
    add("original", "", "0", {{"forget", 3}, {"retain", 3}, {"test", 0}});
    add("retrained", "", "0", {{"forget", 0}, {"retain", 3}, {"test", 0}});
    add("unlearned", "nothing", "0", {{"forget", 3}, {"retain", 3}, {"test", 0}});
    for (std::size_t shadow = 0; shadow < shadows; ++shadow) {
      add("shadow", "", std::to_string(shadow),
          {{"forget", 0}, {"retain", 0}, {"test", 0}, {"shadow_train", 3}});
    }
  }

  evidence::Evidence& get() { return evidence_; }

  Comparison comparison(const std::string& role, const std::string& method, Control control) const {
    Comparison result;
    const evidence::Group* group = evidence_.find(role, method);
    result.evidence = &evidence_;
    result.candidate = {&group->models.front()};
    result.subject = subject_of(group->models.front());
    result.short_name = method.empty() ? role : method;
    result.control = control;
    if (const evidence::Group* originals = evidence_.find("original")) {
      result.original = {&originals->models.front()};
    }
    const evidence::Group* retrained = evidence_.find("retrained");
    if (retrained != nullptr && role != "retrained") {
      result.retrained = {&retrained->models.front()};
    }
    return result;
  }

 private:
  void add_split(const std::string& split, std::size_t rows) {
    Stream stream(3, "test.split." + split);
    for (std::size_t row = 0; row < rows; ++row) {
      evidence_.labels[split].push_back(static_cast<std::int64_t>(stream.below(kClasses)));
      easy_[split].push_back(stream.normal());
    }
  }

  evidence::Evidence evidence_;
  std::map<std::string, std::vector<double>> easy_;
};

inline const Row* find_row(const Measurements& measured, const std::string& metric,
                           const std::string& form = {}) {
  for (const Row& row : measured.rows) {
    if (row.metric == metric && (form.empty() || row.settings.value("form", "") == form))
      return &row;
  }
  return nullptr;
}

}  // namespace vestige::metrics
