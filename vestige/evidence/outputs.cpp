// Outputs as log-probabilities, whatever kind was exported.
#include <algorithm>
#include <cmath>
#include <limits>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/blocks.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {
namespace {

// The smallest probability that exported probabilities are taken to mean: float32 softmax outputs
// underflow to 0 there, and ln 0 would turn one saturated row into an infinite score.
constexpr double kSmallestProbability = 1e-45;

constexpr std::size_t kRowsPerTask = 256;

// How far a row of C rounded probabilities may sum from 1: half a unit in the last place each.
double sum_tolerance(DType dtype) {
  if (dtype == DType::bfloat16) return 2e-2;
  if (dtype == DType::float16) return 4e-3;
  return 1e-4;
}

/// No NaN and no +inf; -inf is a log-probability.
bool readable(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value < std::numeric_limits<double>::infinity(); });
}

}  // namespace

OutputKind detect_kind(const Array& outputs) {
  constexpr std::size_t kLook = 256;
  const std::size_t rows = outputs.rows();
  const std::size_t step = std::max<std::size_t>(1, rows / kLook);
  const double tolerance = sum_tolerance(outputs.dtype());
  bool probabilities_fit = true;
  bool logs_fit = true;
  bool seen = false;
  std::vector<double> values(outputs.cols());
  for (std::size_t row = 0; row < rows && (probabilities_fit || logs_fit); row += step) {
    outputs.read_row(row, values);
    // A spoilt row says nothing about the kind; the checks report it.
    if (!readable(values)) continue;
    seen = true;
    double sum = 0;
    double exponential_sum = 0;
    for (const double value : values) {
      probabilities_fit = probabilities_fit && value >= 0 && value <= 1 + tolerance;
      logs_fit = logs_fit && value <= tolerance;
      sum += value;
      exponential_sum += std::exp(value);
    }
    probabilities_fit = probabilities_fit && std::abs(sum - 1) <= tolerance;
    logs_fit = logs_fit && std::abs(exponential_sum - 1) <= tolerance;
  }
  if (!seen) return OutputKind::logits;
  if (probabilities_fit) return OutputKind::probabilities;
  return logs_fit ? OutputKind::log_probabilities : OutputKind::logits;
}

std::string_view name(OutputKind kind) {
  switch (kind) {
    case OutputKind::logits:
      return "logits";
    case OutputKind::probabilities:
      return "probabilities";
    case OutputKind::log_probabilities:
      return "log_probabilities";
  }
  return "";
}

OutputKind kind_named(std::string_view wanted) {
  for (const OutputKind kind : {OutputKind::probabilities, OutputKind::log_probabilities}) {
    if (name(kind) == wanted) return kind;
  }
  return OutputKind::logits;
}

void read_logits(const Array& outputs, OutputKind kind, std::size_t row, std::span<double> out) {
  outputs.read_row(row, out);
  if (kind != OutputKind::probabilities) return;
  for (double& value : out) value = std::max(value, kSmallestProbability);
  logarithms(out, out);
}

void log_probabilities(const Array& outputs, OutputKind kind, std::size_t row,
                       std::span<double> out) {
  read_logits(outputs, kind, row, out);
  // Log-sum-exp also renormalises rounded probabilities and log-probabilities.
  const double log_sum = log_sum_exp(out);
  for (double& value : out) value -= log_sum;
}

void probabilities(const Array& outputs, OutputKind kind, std::size_t row, std::span<double> out) {
  read_logits(outputs, kind, row, out);
  softmax(out);
}

Matrix log_probabilities(const Array& outputs, OutputKind kind) {
  Matrix result(outputs.rows(), outputs.cols());
  parallel_ranges(result.rows(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      log_probabilities(outputs, kind, row, result.row(row));
    }
  });
  return result;
}

Matrix probabilities(const Array& outputs, OutputKind kind) {
  Matrix result(outputs.rows(), outputs.cols());
  parallel_ranges(result.rows(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      probabilities(outputs, kind, row, result.row(row));
    }
  });
  return result;
}

Matrix matrix(const Array& array) {
  require(array.rank() >= 2, "an array of shape {} has no columns: give one row per example",
          shape_text(array.shape()));
  Matrix result(array.rows(), array.cols());
  array.read(0, result.values());
  return result;
}

}  // namespace vestige::evidence
