// Making up outputs.
#include "vestige/experiment/made_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vestige::experiment {
namespace {

/// Width of made-up activations, that of a usual penultimate layer.
constexpr std::size_t kProbeWidth = 128;
/// Rows of a split at least, where it has them: fewer would not do for what some metrics draw.
constexpr std::size_t kFewestRows = 48;

bool is_collected(const std::string& split, const std::vector<std::int64_t>& rows) {
  return !rows.empty() && split != "train" && split != "shadow";
}

std::size_t collected_of(const Arm& arm, const std::vector<std::int64_t>& rows) {
  if (arm.collect.rows <= 0) return rows.size();
  return std::min(rows.size(), static_cast<std::size_t>(arm.collect.rows));
}

std::size_t map_size(const Arm& arm) {
  const auto& shape = arm.lab->data.shape;
  return static_cast<std::size_t>(shape.size() == 3 ? shape[1] * shape[2] : shape.front());
}

}  // namespace

std::size_t largest_split(const Arm& arm) {
  std::size_t largest = 1;
  for (const auto& [name, rows] : arm.lab->split.parts) {
    if (is_collected(name, rows)) largest = std::max(largest, collected_of(arm, rows));
  }
  return largest;
}

double values_per_row(const Arm& arm) {
  return static_cast<double>(arm.lab->data.classes) +
         static_cast<double>(arm.collect.taps.size() * kProbeWidth) +
         (arm.collect.saliency != "none" ? static_cast<double>(map_size(arm)) : 0);
}

MadeEvidence::MadeEvidence(const Arm& arm, const MadeCounts& counts, double share) : arm_(arm) {
  evidence_.kind_declared = true;
  evidence_.classes = static_cast<std::size_t>(arm.lab->data.classes);
  for (const auto& [name, rows] : arm.lab->split.parts) {
    if (!is_collected(name, rows)) continue;
    const std::size_t all = collected_of(arm, rows);
    const auto part = static_cast<std::size_t>(share * static_cast<double>(all));
    const std::size_t size = std::min(all, std::max(part, kFewestRows));
    auto& labels = evidence_.labels[name];
    for (std::size_t row = 0; row < size; ++row) {
      labels.push_back(arm.lab->data.labels[static_cast<std::size_t>(rows[row])]);
    }
  }
  add("original", "", counts.originals, 4);
  add("retrained", "", counts.retrained, 4);
  add("unlearned", "probe", counts.originals, 3);
  add("shadow", "", counts.shadows, 4);
  add("random", "", counts.random, 0);
  add("verification", "", counts.verification, 3);
}

double MadeEvidence::rows() const {
  double all = 0;
  for (const auto& [split, labels] : evidence_.labels) all += static_cast<double>(labels.size());
  return all;
}

void MadeEvidence::add(const std::string& role, const std::string& method, std::size_t count,
                       double fit) {
  if (count == 0) return;
  evidence::Group group{role, method, {}};
  for (std::size_t index = 0; index < count; ++index) {
    evidence::Model model;
    model.role = role;
    model.method = method;
    model.name = fmt::format("{}", index);
    for (const auto& [split, labels] : evidence_.labels) {
      const bool seen = split == "retain" || (split == "forget" && role != "retrained");
      model.outputs[split] = logits(labels, seen ? fit + 2 : fit);
      for (const std::string& tap : arm_.collect.taps) {
        model.activations[tap][split] = noise(labels.size(), kProbeWidth);
      }
      if (arm_.collect.saliency != "none") {
        model.saliency[split] = noise(labels.size(), map_size(arm_));
      }
    }
    group.models.push_back(std::move(model));
  }
  evidence_.groups.push_back(std::move(group));
}

evidence::Array MadeEvidence::logits(const std::vector<std::int64_t>& labels, double fit) {
  std::vector<double> values(labels.size() * evidence_.classes);
  for (double& value : values) value = 3 * stream_.uniform();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    values[row * evidence_.classes + static_cast<std::size_t>(labels[row])] += fit;
  }
  return evidence::Array::from_doubles(std::move(values), {labels.size(), evidence_.classes});
}

evidence::Array MadeEvidence::noise(std::size_t rows, std::size_t width) {
  std::vector<double> values(rows * width);
  for (double& value : values) value = stream_.uniform();
  return evidence::Array::from_doubles(std::move(values), {rows, width});
}

}  // namespace vestige::experiment
