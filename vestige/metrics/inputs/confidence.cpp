// Logit-scaled confidence, exactly and as the public scorer computes it.
#include "vestige/metrics/inputs/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/kept_numbers.h"

namespace vestige::metrics {
namespace {

constexpr double kTiny = 1e-45;
constexpr std::size_t kRowsPerTask = 256;

void check_label(std::size_t classes, std::size_t label) {
  require(classes >= 2, "a confidence needs at least 2 classes, the outputs have {}", classes);
  require(label < classes, "label {} is not one of {} classes: labels count from 0", label,
          classes);
}

// ln(sum of exp over all classes but one).
double log_sum_of_others(std::span<const double> logits, std::size_t label) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t index = 0; index < logits.size(); ++index) {
    if (index != label) largest = std::max(largest, logits[index]);
  }
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (std::size_t index = 0; index < logits.size(); ++index) {
    if (index != label) sum += std::exp(logits[index] - largest);
  }
  return largest + std::log(sum);
}

template <typename Real>
ReferenceConfidence reference_of(std::span<const Real> logits, std::size_t label) {
  check_label(logits.size(), label);
  const Real largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const Real logit : logits) sum += static_cast<double>(std::exp(logit - largest));
  double correct = 0;
  double wrong = 0;
  for (std::size_t index = 0; index < logits.size(); ++index) {
    const double probability = static_cast<double>(std::exp(logits[index] - largest)) / sum;
    (index == label ? correct : wrong) += probability;
  }
  return {correct, std::log(correct + kTiny) - std::log(wrong + kTiny)};
}

// Probabilities as logits; everything else is one already.
void to_logits(evidence::OutputKind kind, std::span<double> values) {
  if (kind != evidence::OutputKind::probabilities) return;
  for (double& value : values) value = std::log(std::max(value, kTiny));
}

class RowReader {
 public:
  RowReader(const evidence::Array& outputs, evidence::OutputKind kind, ConfidenceNumerics numerics)
      : outputs_(outputs), kind_(kind), numerics_(numerics), row_(outputs.cols()) {
    if (numerics == ConfidenceNumerics::reference && outputs.dtype() != evidence::DType::float64) {
      narrow_.resize(row_.size());
    }
  }

  double confidence(std::size_t row, std::size_t label) {
    outputs_.read_row(row, row_);
    to_logits(kind_, row_);
    if (numerics_ == ConfidenceNumerics::exact) return logit_confidence(row_, label);
    if (narrow_.empty())
      return reference_confidence(std::span<const double>(row_), label).confidence;
    std::transform(row_.begin(), row_.end(), narrow_.begin(),
                   [](double value) { return static_cast<float>(value); });
    return reference_confidence(std::span<const float>(narrow_), label).confidence;
  }

 private:
  const evidence::Array& outputs_;
  evidence::OutputKind kind_;
  ConfidenceNumerics numerics_;
  std::vector<double> row_;
  std::vector<float> narrow_;
};

void check_outputs(const evidence::Model& model, const std::string& split,
                   std::span<const std::int64_t> labels) {
  const auto found = model.outputs.find(split);
  require(found != model.outputs.end(), "{} has no outputs for {}: add {}/{}.npy", model.id(),
          split, model.id(), split);
  require(found->second.rows() == labels.size(), "{} has {} rows of {}, but there are {} labels",
          model.id(), found->second.rows(), split, labels.size());
  const std::size_t classes = found->second.cols();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    require(labels[row] >= 0 && static_cast<std::size_t>(labels[row]) < classes,
            "label {} of {} row {} is not one of {} classes: labels count from 0", labels[row],
            split, row, classes);
  }
}

}  // namespace

double logit_confidence(std::span<const double> logits, std::size_t label) {
  check_label(logits.size(), label);
  return logits[label] - log_sum_of_others(logits, label);
}

ReferenceConfidence reference_confidence(std::span<const float> logits, std::size_t label) {
  return reference_of(logits, label);
}

ReferenceConfidence reference_confidence(std::span<const double> logits, std::size_t label) {
  return reference_of(logits, label);
}

Matrix confidences(const std::vector<const evidence::Model*>& models, std::string_view split,
                   std::span<const std::int64_t> labels, evidence::OutputKind kind,
                   ConfidenceNumerics numerics) {
  const std::string key(split);
  for (const evidence::Model* model : models) check_outputs(*model, key, labels);
  Matrix result(models.size(), labels.size());
  const std::string what =
      std::string(numerics == ConfidenceNumerics::exact ? "confidence of "
                                                        : "reference confidence of ") +
      std::string(name(kind));
  // Side by side, because a split of a pool may have fewer rows than there are threads.
  parallel_tasks(models.size(), [&](std::size_t model) {
    const evidence::Array& outputs = models[model]->outputs.at(key);
    const Numbers one = kept_numbers(outputs, labels, what, [&] {
      std::vector<double> values(labels.size());
      parallel_ranges(values.size(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
        RowReader reader(outputs, kind, numerics);
        for (std::size_t row = first; row < last; ++row) {
          values[row] = reader.confidence(row, static_cast<std::size_t>(labels[row]));
        }
      });
      return values;
    });
    std::copy(one->begin(), one->end(), result.row(model).begin());
  });
  return result;
}

}  // namespace vestige::metrics
