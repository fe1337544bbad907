// The probe of an audit: evidence of the arm's sizes with made-up outputs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "vestige/audit/audit.h"
#include "vestige/audit/selection.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/base/seed.h"
#include "vestige/experiment/probe.h"
#include "vestige/metrics/family.h"

namespace vestige::experiment {
namespace {

/// Width of made-up activations, that of a usual penultimate layer.
constexpr std::size_t kProbeWidth = 128;

/// Most made-up outputs, of all models together: 32 MB.
constexpr double kMostValues = 0x1p22;
/// Fewer rows of a split would not do for what some metrics draw from it.
constexpr std::size_t kFewestRows = 2500;
/// With many shadow models, which the metrics that draw sets of rows have no use for.
constexpr std::size_t kFewestRowsOfMany = 250;

class MadeUp {
 public:
  /// `share` of the rows of each split, and not fewer than `fewest` where it has them.
  MadeUp(const Arm& arm, double share, std::size_t fewest) : arm_(arm) {
    evidence_.kind_declared = true;
    evidence_.classes = static_cast<std::size_t>(arm.lab->data.classes);
    for (const auto& [name, rows] : arm.lab->split.parts) {
      if (rows.empty() || name == "train" || name == "shadow") continue;
      std::size_t size = rows.size();
      if (arm.collect.rows > 0) {
        size = std::min(size, static_cast<std::size_t>(arm.collect.rows));
      }
      const auto part = static_cast<std::size_t>(share * static_cast<double>(size));
      size = std::min(size, std::max(part, fewest));
      auto& labels = evidence_.labels[name];
      for (std::size_t row = 0; row < size; ++row) {
        labels.push_back(arm.lab->data.labels[static_cast<std::size_t>(rows[row])]);
      }
    }
  }

  void add(const std::string& role, const std::string& method, std::size_t count, double fit) {
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
          const auto& shape = arm_.lab->data.shape;
          const std::int64_t pixels = shape.size() == 3 ? shape[1] * shape[2] : shape.front();
          model.saliency[split] = noise(labels.size(), static_cast<std::size_t>(pixels));
        }
      }
      group.models.push_back(std::move(model));
    }
    evidence_.groups.push_back(std::move(group));
  }

  const evidence::Evidence& evidence() const { return evidence_; }

  double rows() const {
    double all = 0;
    for (const auto& [split, labels] : evidence_.labels) all += static_cast<double>(labels.size());
    return all;
  }

 private:
  evidence::Array logits(const std::vector<std::int64_t>& labels, double fit) {
    std::vector<double> values(labels.size() * evidence_.classes);
    for (double& value : values) value = 3 * stream_.uniform();
    for (std::size_t row = 0; row < labels.size(); ++row) {
      values[row * evidence_.classes + static_cast<std::size_t>(labels[row])] += fit;
    }
    return evidence::Array::from_doubles(std::move(values), {labels.size(), evidence_.classes});
  }

  evidence::Array noise(std::size_t rows, std::size_t width) {
    std::vector<double> values(rows * width);
    for (double& value : values) value = stream_.uniform();
    return evidence::Array::from_doubles(std::move(values), {rows, width});
  }

  const Arm& arm_;
  evidence::Evidence evidence_;
  Stream stream_{1, "probe"};
};

}  // namespace

double probe_audit(const Arm& arm, const AuditPlan& audit) {
  std::map<std::string, std::size_t> counts;
  std::set<std::string> groups;
  for (const train::ModelPlan& model : arm.models) {
    ++counts[model.role];
    groups.insert(model.role);
  }
  for (const unlearn::UnlearnPlan& plan : arm.unlearned) groups.insert(plan.method.label);
  const double models =
      static_cast<double>(counts["original"] + counts["retrained"] + arm.unlearned.size() + 1);
  // Paper sizes have hundreds of shadow models of a hundred thousand rows: tens of gigabytes.
  const double values = collected_rows(arm, arm.collect.rows) *
                        static_cast<double>(arm.lab->data.classes) *
                        static_cast<double>(counts["shadow"] + counts["random"] + 6);
  MadeUp made(arm, std::min(1.0, kMostValues / values),
              counts["shadow"] > 16 ? kFewestRowsOfMany : kFewestRows);
  const double left_out = made.rows() > 0 ? collected_rows(arm, arm.collect.rows) / made.rows() : 1;
  made.add("original", "", 1, 4);
  made.add("retrained", "", std::min<std::size_t>(counts["retrained"], 4), 4);
  made.add("unlearned", "probe", 1, 3);
  made.add("shadow", "", counts["shadow"], 4);
  made.add("random", "", counts["random"], 0);
  made.add("verification", "", counts["verification"], 3);
  const double made_models =
      static_cast<double>(2 + std::min<std::size_t>(counts["retrained"], 4) + 1);
  const QuietProgress quiet;
  const audit::Selection selection(audit.metrics);
  double seconds = 0;
  for (const metrics::Family& family : metrics::families()) {
    if (!selection.has(family) || !family.support(made.evidence()).supported) continue;
    if (family.seconds_per_model) {
      if (const auto known = family.seconds_per_model(made.evidence(), audit.options)) {
        seconds += *known * models;
        continue;
      }
    }
    const auto start = std::chrono::steady_clock::now();
    (void)audit::audit(made.evidence(), {{std::string(family.name)}, 1, audit.options});
    const double taken =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double factor = family.unit == metrics::Unit::model
                              ? models / made_models
                              : static_cast<double>(groups.size() + 1) / 4;
    seconds += taken * factor * left_out;
  }
  return seconds;
}

}  // namespace vestige::experiment
