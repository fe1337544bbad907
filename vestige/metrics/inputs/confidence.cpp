// Logit-scaled confidence, exactly and as the public scorer computes it.
#include "vestige/metrics/inputs/confidence.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/kept_numbers.h"
#include "vestige/metrics/inputs/true_class.h"

namespace vestige::metrics {
namespace {

constexpr double kTiny = 1e-45;
constexpr std::size_t kRowsPerTask = 256;

void check_label(std::size_t classes, std::size_t label) {
  require(classes >= 2, "a confidence needs at least 2 classes, the outputs have {}", classes);
  require(label < classes, "label {} is not one of {} classes: labels count from 0", label,
          classes);
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

/// Rows in the public scorer's arithmetic.
class RowReader {
 public:
  RowReader(const evidence::Array& outputs, evidence::OutputKind kind)
      : outputs_(outputs), kind_(kind), row_(outputs.cols()) {
    if (outputs.dtype() != evidence::DType::float64) narrow_.resize(row_.size());
  }

  double confidence(std::size_t row, std::size_t label) {
    outputs_.read_row(row, row_);
    to_logits(kind_, row_);
    if (narrow_.empty())
      return reference_confidence(std::span<const double>(row_), label).confidence;
    std::transform(row_.begin(), row_.end(), narrow_.begin(),
                   [](double value) { return static_cast<float>(value); });
    return reference_confidence(std::span<const float>(narrow_), label).confidence;
  }

 private:
  const evidence::Array& outputs_;
  evidence::OutputKind kind_;
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
  std::vector<double> row(logits.begin(), logits.end());
  return row_odds(row, label).log_odds;
}

ReferenceConfidence reference_confidence(std::span<const float> logits, std::size_t label) {
  return reference_of(logits, label);
}

ReferenceConfidence reference_confidence(std::span<const double> logits, std::size_t label) {
  return reference_of(logits, label);
}

Matrix confidences(const Context& context, const std::vector<const evidence::Model*>& models,
                   std::string_view split, std::span<const std::int64_t> labels,
                   evidence::OutputKind kind, ConfidenceNumerics numerics) {
  const std::string key(split);
  for (const evidence::Model* model : models) check_outputs(*model, key, labels);
  Matrix result(models.size(), labels.size());
  const std::string what = "reference confidence of " + std::string(name(kind));
  // Side by side, because a split of a pool may have fewer rows than there are threads.
  parallel_tasks(models.size(), [&](std::size_t model) {
    const evidence::Array& outputs = models[model]->outputs.at(key);
    if (numerics == ConfidenceNumerics::exact) {
      require(labels.empty() || outputs.cols() >= 2,
              "a confidence needs at least 2 classes, the outputs have {}", outputs.cols());
      const Numbers known = kept_true_class(context, outputs, kind, labels);
      const auto rows = static_cast<std::ptrdiff_t>(labels.size());
      std::copy(known->begin() + rows, known->begin() + 2 * rows, result.row(model).begin());
      return;
    }
    const Numbers one = kept_numbers(context, outputs, labels, what, [&] {
      std::vector<double> values(labels.size());
      parallel_ranges(values.size(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
        RowReader reader(outputs, kind);
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
