// True-class signals from evidence.
#include "vestige/metrics/inputs/true_class.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/blocks.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRowsPerBlock = 256;

void append(const TrueClass& more, TrueClass& result) {
  for (auto values : {&TrueClass::probability, &TrueClass::log_probability, &TrueClass::scaled,
                      &TrueClass::output}) {
    (result.*values).insert((result.*values).end(), (more.*values).begin(), (more.*values).end());
  }
}

void append_split(const Context& context, const evidence::Evidence& evidence,
                  const evidence::Model& model, std::string_view split, TrueClass& result) {
  const auto* labels = evidence.find_labels(model, split);
  require(model.has(split) && labels != nullptr, "{} has no outputs or no labels for split {}",
          model.id(), split);
  const evidence::Array& outputs = model.outputs.at(std::string(split));
  require(outputs.rows() == labels->size(), "{} has {} rows in split {}, labels have {}",
          model.id(), outputs.rows(), split, labels->size());
  append(true_class_numbers(context, outputs, evidence.kind, *labels), result);
}

}  // namespace

RowOdds row_odds(std::span<double> logits, std::size_t label) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const double own = std::exchange(logits[label], kNever);
  const double most = largest(logits);
  // Without the label's class, so that of p = 1 - 1e-20 the 1e-20 is known to all its digits.
  const double others = most == kNever ? 0 : exponential_sum(logits, most);
  logits[label] = own;
  const double top = std::max(own, most);
  const double all = std::exp(own - top) + (most == kNever ? 0 : std::exp(most - top) * others);
  return {own - (top + std::log(all)), own - (most + std::log(others))};
}

Numbers kept_true_class(const Context& context, const evidence::Array& outputs,
                        evidence::OutputKind kind, std::span<const std::int64_t> labels) {
  const std::size_t rows = labels.size();
  return kept_numbers(context, outputs, labels, "true class of " + std::string(name(kind)), [&] {
    std::vector<double> numbers(3 * rows);
    parallel_ranges(rows, kRowsPerBlock, [&](std::size_t first, std::size_t last) {
      std::vector<double> values(outputs.cols());
      for (std::size_t row = first; row < last; ++row) {
        const auto label = static_cast<std::size_t>(labels[row]);
        evidence::read_logits(outputs, kind, row, values);
        const RowOdds odds = row_odds(values, label);
        numbers[row] = odds.log_probability;
        numbers[rows + row] = odds.log_odds;
        outputs.read(row * outputs.cols() + label, {&numbers[2 * rows + row], 1});
      }
    });
    return numbers;
  });
}

TrueClass true_class_numbers(const Context& context, const evidence::Array& outputs,
                             evidence::OutputKind kind, std::span<const std::int64_t> labels) {
  const std::size_t rows = labels.size();
  const Numbers kept = kept_true_class(context, outputs, kind, labels);
  const auto part = [&](std::size_t index) {
    const auto first = kept->begin() + static_cast<std::ptrdiff_t>(index * rows);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(rows));
  };
  TrueClass result{{}, part(0), part(1), part(2)};
  result.probability.resize(rows);
  exponentials(result.log_probability, result.probability);
  return result;
}

TrueClass true_class(const Context& context, const evidence::Evidence& evidence,
                     const evidence::Model& model, const std::vector<std::string_view>& splits) {
  TrueClass result;
  for (const std::string_view split : splits) append_split(context, evidence, model, split, result);
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
