// True-class signals from evidence.
#include "vestige/metrics/inputs/true_class.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/kept_numbers.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRowsPerBlock = 256;

/// ln of the summed probability of all classes but `label`.
double log_others(std::span<const double> log_probabilities, std::size_t label) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t index = 0; index < log_probabilities.size(); ++index) {
    if (index != label) largest = std::max(largest, log_probabilities[index]);
  }
  double sum = 0;
  for (std::size_t index = 0; index < log_probabilities.size(); ++index) {
    if (index != label) sum += std::exp(log_probabilities[index] - largest);
  }
  return largest + std::log(sum);
}

void append(const TrueClass& more, TrueClass& result) {
  for (auto values : {&TrueClass::probability, &TrueClass::log_probability, &TrueClass::scaled,
                      &TrueClass::output}) {
    (result.*values).insert((result.*values).end(), (more.*values).begin(), (more.*values).end());
  }
}

void append_split(const evidence::Evidence& evidence, const evidence::Model& model,
                  std::string_view split, TrueClass& result) {
  const auto* labels = evidence.find_labels(model, split);
  require(model.has(split) && labels != nullptr, "{} has no outputs or no labels for split {}",
          model.id(), split);
  const evidence::Array& outputs = model.outputs.at(std::string(split));
  require(outputs.rows() == labels->size(), "{} has {} rows in split {}, labels have {}",
          model.id(), outputs.rows(), split, labels->size());
  append(true_class_numbers(outputs, evidence.kind, *labels), result);
}

}  // namespace

TrueClass true_class_numbers(const evidence::Array& outputs, evidence::OutputKind kind,
                             std::span<const std::int64_t> labels) {
  const std::size_t rows = labels.size();
  // Log-probability, log-odds and output, one vector after the other.
  const Numbers kept =
      kept_numbers(outputs, labels, "true class of " + std::string(name(kind)), [&] {
        std::vector<double> numbers(3 * rows);
        parallel_ranges(rows, kRowsPerBlock, [&](std::size_t first, std::size_t last) {
          std::vector<double> values(outputs.cols());
          for (std::size_t row = first; row < last; ++row) {
            const auto label = static_cast<std::size_t>(labels[row]);
            outputs.read_row(row, values);
            numbers[2 * rows + row] = values[label];
            evidence::log_probabilities(outputs, kind, row, values);
            const double log_probability = values[label];
            numbers[row] = log_probability;
            numbers[rows + row] = log_probability - log_others(values, label);
          }
        });
        return numbers;
      });
  const auto part = [&](std::size_t index) {
    const auto first = kept->begin() + static_cast<std::ptrdiff_t>(index * rows);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(rows));
  };
  TrueClass result{{}, part(0), part(1), part(2)};
  result.probability.reserve(rows);
  for (const double value : result.log_probability) result.probability.push_back(std::exp(value));
  return result;
}

TrueClass true_class(const evidence::Evidence& evidence, const evidence::Model& model,
                     const std::vector<std::string_view>& splits) {
  TrueClass result;
  for (const std::string_view split : splits) append_split(evidence, model, split, result);
  return result;
}

bool covers(const evidence::Model& model, const std::vector<std::string_view>& splits) {
  return std::all_of(splits.begin(), splits.end(),
                     [&](std::string_view split) { return model.has(split); });
}

const std::vector<std::string_view>& query_splits() {
  static const std::vector<std::string_view> splits = {"forget", "retain"};
  return splits;
}

}  // namespace vestige::metrics
