// What the conformal family reads from the evidence: labelled rows of one model, and where its
// calibration rows come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/matrix.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// Below this many calibration rows the paper saw q jump with their draw (Figure 2).
inline constexpr std::size_t kEnoughCalibration = 1000;

/// Rows of one model and split: `outputs` as the score wants them (probabilities, or
/// log-probabilities for entmax), [n, C].
struct LabelledOutputs {
  Matrix outputs;
  std::vector<std::int64_t> labels;
  std::vector<bool> forgotten;  ///< of classes or subclasses that were forgotten as a whole
};

/// One way to find q. `setup` is empty for the default, else "shadow calibration" or "semi-shadow
/// calibration" (paper, D.5).
struct Calibration {
  std::string setup;
  LabelledOutputs rows;
};

/// Everything that one model's conformal metrics need.
struct ConformalInput {
  Reason missing;  ///< what the model lacks; then nothing else is set
  LabelledOutputs forget;
  LabelledOutputs test;                   ///< without the rows that calibrate; may be empty
  std::vector<Calibration> calibrations;  ///< the default first
  std::string source;                     ///< "calibration" or "half of test"
  std::string whole;  ///< "class" or "subclass" if that was forgotten; else empty
};

/// Calibration rows are the model's `calibration` split; where that is missing in some model they
/// are, for all models alike, half of `test` by the seed.
ConformalInput conformal_input(const evidence::Evidence& evidence, const evidence::Model& model,
                               ConformalScore score, std::uint64_t seed);

/// What conformal_input holds of a model, in bytes.
std::size_t conformal_bytes(const evidence::Model& model);

/// An example that calibrates and is also in another split.
struct CalibrationOverlap {
  std::string id;
  std::string split;  ///< "forget", "retain" or "test"
};
/// The first one by ids; nothing if there is none or ids are not given.
std::optional<CalibrationOverlap> calibration_overlap(const evidence::Evidence& evidence);

/// Rows of what was forgotten as a whole, or all others.
LabelledOutputs rows_of_forgotten(const LabelledOutputs& rows, bool forgotten);

/// ln p(true class) of each row, read row by row; empty if the model or the labels lack the split.
std::vector<double> true_class_log_probabilities(const Context& context,
                                                 const evidence::Evidence& evidence,
                                                 const evidence::Model& model,
                                                 std::string_view split);
/// p(true class) of each row.
std::vector<double> true_class_probabilities(const Context& context,
                                             const evidence::Evidence& evidence,
                                             const evidence::Model& model, std::string_view split);

}  // namespace vestige::metrics
