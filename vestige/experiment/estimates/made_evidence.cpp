// Making up outputs.
#include "vestige/experiment/estimates/made_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vestige/models/kinds.h"

namespace vestige::experiment {
namespace {

/// Width of synthetic activations, that of a usual penultimate layer.
constexpr std::size_t kProbeWidth = 128;
/// Rows of a split at least, where it has them: fewer would not do for what some metrics draw.
constexpr std::size_t kFewestRows = 48;

bool is_collected(const std::string& split, const std::vector<std::int64_t>& rows) {
  return !rows.empty() && split != "train" && split != "shadow";
}

std::size_t collected_of(const Variant& variant, const std::vector<std::int64_t>& rows) {
  if (variant.collect.rows <= 0) return rows.size();
  return std::min(rows.size(), static_cast<std::size_t>(variant.collect.rows));
}

std::size_t map_size(const Variant& variant) {
  const auto& shape = variant.lab->data.shape;
  return static_cast<std::size_t>(shape.size() == 3 ? shape[1] * shape[2] : shape.front());
}

}  // namespace

std::size_t largest_split(const Variant& variant) {
  std::size_t largest = 1;
  for (const auto& [name, rows] : variant.lab->split.parts) {
    if (is_collected(name, rows)) largest = std::max(largest, collected_of(variant, rows));
  }
  return largest;
}

double values_per_row(const Variant& variant) {
  return static_cast<double>(variant.lab->data.classes) +
         static_cast<double>(variant.collect.taps.size() * kProbeWidth) +
         (variant.collect.saliency != "none" ? static_cast<double>(map_size(variant)) : 0);
}

MadeEvidence::MadeEvidence(const Variant& variant, const MadeCounts& counts, double share)
    : variant_(variant),
      denoiser_(models::is_denoiser(variant.lab->recipe.model.at("name").get<std::string>())) {
  evidence_.kind_declared = true;
  evidence_.classes = denoiser_ ? 0 : static_cast<std::size_t>(variant.lab->data.classes);
  for (const auto& [name, rows] : variant.lab->split.parts) {
    if (!is_collected(name, rows)) continue;
    const std::size_t all = collected_of(variant, rows);
    const auto part = static_cast<std::size_t>(share * static_cast<double>(all));
    const std::size_t size = std::min(all, std::max(part, kFewestRows));
    auto& labels = evidence_.labels[name];
    for (std::size_t row = 0; row < size; ++row) {
      labels.push_back(variant.lab->data.labels[static_cast<std::size_t>(rows[row])]);
    }
  }
  add("original", "", counts.originals, 4);
  add("retrained", "", counts.retrained, 4);
  add("unlearned", "probe", counts.originals, 3);
  add("shadow", "", counts.shadows, 4);
  add("random", "", counts.random, 0);
  add("verification", "", counts.verification, 3);
  add_membership(counts.membership);
  add_series(counts);
}

/// Two models each share the rows of forget and retain, as [pool] membership_pairs has it.
void MadeEvidence::add_membership(std::size_t count) {
  add("membership", "", count, 4);
  if (count == 0) return;
  std::vector<evidence::Model>& models = evidence_.groups.back().models;
  for (std::size_t index = 0; index < count; ++index) {
    for (const char* split : {"forget", "retain"}) {
      const auto found = evidence_.labels.find(split);
      if (found == evidence_.labels.end()) continue;
      std::vector<std::int64_t> marks(found->second.size(), 1);
      if (index % 2 == 1) {
        const auto before = models[index - 1].members.at(split).integers();
        std::transform(before.begin(), before.end(), marks.begin(),
                       [](std::int64_t mark) { return 1 - mark; });
      } else {
        for (std::int64_t& mark : marks) mark = stream_.uniform() < 0.5 ? 1 : 0;
      }
      const std::size_t rows = marks.size();
      models[index].members[split] = evidence::Array::from_integers(std::move(marks), {rows});
    }
  }
}

/// checkpoint/graded.0.5/0 and so on, one group for each step.
void MadeEvidence::add_series(const MadeCounts& counts) {
  for (std::size_t step = 1; counts.series > 0 && step <= counts.steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(counts.steps);
    const std::string name = fmt::format("graded.{:g}", share);
    add("checkpoint", name, counts.series, 3 + share);
    evidence_.membership[name] = share;
  }
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
      if (denoiser_) {
        model.losses[split] = losses(labels.size());
      } else {
        model.outputs[split] = logits(labels, seen ? fit + 2 : fit);
      }
      for (const std::string& tap : variant_.collect.taps) {
        model.activations[tap][split] = noise(labels.size(), kProbeWidth);
      }
      if (variant_.collect.saliency != "none") {
        model.saliency[split] = noise(labels.size(), map_size(variant_));
      }
    }
    if (denoiser_ && variant_.collect.samples > 0 && evidence_.labels.contains("test")) {
      auto& features = model.activations["features"];
      features["generated"] =
          noise(static_cast<std::size_t>(variant_.collect.samples), kProbeWidth);
      features["test"] = noise(evidence_.labels.at("test").size(), kProbeWidth);
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

evidence::Array MadeEvidence::losses(std::size_t rows) {
  std::vector<double> values(rows);
  for (double& value : values) value = stream_.uniform();
  return evidence::Array::from_doubles(std::move(values), {rows});
}

evidence::Array MadeEvidence::noise(std::size_t rows, std::size_t width) {
  std::vector<double> values(rows * width);
  for (double& value : values) value = stream_.uniform();
  return evidence::Array::from_doubles(std::move(values), {rows, width});
}

}  // namespace vestige::experiment
