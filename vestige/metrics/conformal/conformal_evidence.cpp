// Splits of one model, cut and checked for calibration.
#include "vestige/metrics/conformal/conformal_evidence.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/checks/split_checks.h"
#include "vestige/metrics/inputs/held_rows.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/inputs/true_class.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Model;

Matrix score_outputs(const Evidence& evidence, const evidence::Array& outputs,
                     ConformalScore score) {
  return score == ConformalScore::entmax ? evidence::log_probabilities(outputs, evidence.kind)
                                         : evidence::probabilities(outputs, evidence.kind);
}

/// Rows of `split`, with the labels of `labelled_as`.
LabelledOutputs read_rows(const Evidence& evidence, const Model& model, const std::string& split,
                          const std::string& labelled_as, ConformalScore score) {
  LabelledOutputs rows;
  const auto* labels = evidence.find_labels(labelled_as);
  if (!model.has(split) || labels == nullptr) return rows;
  const evidence::Array& outputs = model.outputs.at(split);
  require(outputs.rows() == labels->size(),
          "{}/{}.npy has {} rows, labels/{}.npy has {}: both must hold the same examples",
          model.id(), split, outputs.rows(), labelled_as, labels->size());
  rows.outputs = score_outputs(evidence, outputs, score);
  rows.labels = *labels;
  rows.forgotten = of_the_forgotten(evidence, labelled_as);
  return rows;
}

LabelledOutputs pick(const LabelledOutputs& rows, std::span<const std::size_t> indices) {
  LabelledOutputs result{Matrix(indices.size(), rows.outputs.cols()), {}, {}};
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto row = rows.outputs.row(indices[k]);
    std::copy(row.begin(), row.end(), result.outputs.row(k).begin());
    result.labels.push_back(rows.labels[indices[k]]);
    result.forgotten.push_back(rows.forgotten[indices[k]]);
  }
  return result;
}

}  // namespace

ConformalInput conformal_input(const Evidence& evidence, const Model& model, ConformalScore score,
                               std::uint64_t seed) {
  ConformalInput input;
  input.forget = read_rows(evidence, model, "forget", "forget", score);
  input.test = read_rows(evidence, model, "test", "test", score);
  // One source for all models: thresholds from different rows are not comparable.
  LabelledOutputs calibration;
  if (!evidence::given_to_some(evidence, "calibration")) {
    calibration = read_rows(evidence, model, "calibration", "calibration", score);
  }
  if (input.forget.labels.empty()) {
    input.missing = reason(Code::needs_outputs_and_labels, std::vector<std::string>{"forget"},
                           model.id() + "/forget.npy, labels/forget.npy");
    return input;
  }
  input.source = "calibration";
  if (calibration.labels.empty()) {
    if (input.test.labels.size() < 2) {
      input.missing = reason(Code::needs_calibration, kEnoughCalibration,
                             model.id() + "/calibration.npy, labels/calibration.npy");
      return input;
    }
    input.source = "half of test";
    std::vector<std::size_t> order =
        Stream(seed, "conformal.split").permutation(input.test.labels.size());
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::sort(order.begin(), middle);
    std::sort(middle, order.end());
    calibration = pick(input.test, {order.begin(), middle});
    input.test = pick(input.test, {middle, order.end()});
  }
  input.calibrations.push_back({"", std::move(calibration)});
  for (const auto& [split, setup] :
       {std::pair<const char*, const char*>{"calibration_shadow", "shadow calibration"},
        {"calibration_semi_shadow", "semi-shadow calibration"}}) {
    LabelledOutputs rows = read_rows(evidence, model, split, "calibration", score);
    if (!rows.labels.empty()) input.calibrations.push_back({setup, std::move(rows)});
  }
  const Forgotten forgotten = forgotten_as_a_whole(evidence);
  if (forgotten == Forgotten::classes) input.whole = "class";
  if (forgotten == Forgotten::subclasses) input.whole = "subclass";
  return input;
}

std::size_t conformal_bytes(const Model& model) {
  std::size_t bytes = 0;
  for (const char* split :
       {"forget", "test", "test", "calibration", "calibration_shadow", "calibration_semi_shadow"}) {
    const auto found = model.outputs.find(split);
    if (found == model.outputs.end()) continue;
    bytes += held_bytes(found->second.rows(), found->second.cols());
  }
  return bytes;
}

std::optional<CalibrationOverlap> calibration_overlap(const Evidence& evidence) {
  const auto calibration = evidence.ids.find("calibration");
  if (calibration == evidence.ids.end()) return std::nullopt;
  const std::unordered_set<std::string> known(calibration->second.begin(),
                                              calibration->second.end());
  for (const char* split : {"forget", "retain", "test"}) {
    const auto found = evidence.ids.find(split);
    if (found == evidence.ids.end()) continue;
    for (const std::string& id : found->second) {
      if (known.count(id) > 0) return CalibrationOverlap{id, split};
    }
  }
  return std::nullopt;
}

LabelledOutputs rows_of_forgotten(const LabelledOutputs& rows, bool forgotten) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    if (rows.forgotten[i] == forgotten) indices.push_back(i);
  }
  return pick(rows, indices);
}

std::vector<double> true_class_log_probabilities(const Context& context, const Evidence& evidence,
                                                 const Model& model, std::string_view split) {
  const auto* labels = evidence.find_labels(split);
  if (!model.has(split) || labels == nullptr) return {};
  const evidence::Array& outputs = model.outputs.at(std::string(split));
  require(outputs.rows() == labels->size(),
          "{}/{}.npy has {} rows, labels/{}.npy has {}: both must hold the same examples",
          model.id(), split, outputs.rows(), split, labels->size());
  return true_class_numbers(context, outputs, evidence.kind, *labels).log_probability;
}

std::vector<double> true_class_probabilities(const Context& context, const Evidence& evidence,
                                             const Model& model, std::string_view split) {
  std::vector<double> values = true_class_log_probabilities(context, evidence, model, split);
  exponentials(values, values);
  return values;
}

}  // namespace vestige::metrics
