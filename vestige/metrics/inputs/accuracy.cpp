// Accuracies.
#include "vestige/metrics/inputs/accuracy.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/base/parallel.h"

namespace vestige::metrics {

Numbers answered_classes(const Context& context, const evidence::Array& outputs) {
  return kept_numbers(context, outputs, {}, "answer", [&] {
    std::vector<double> answers(outputs.rows());
    constexpr std::size_t kRowsPerTask = 512;
    parallel_ranges(answers.size(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
      std::vector<double> values(outputs.cols());
      for (std::size_t row = first; row < last; ++row) {
        outputs.read_row(row, values);
        // The first of equals.
        const auto answer = std::find(values.begin(), values.end(), largest(values));
        answers[row] = static_cast<double>(answer - values.begin());
      }
    });
    return answers;
  });
}

std::vector<double> correct_rows(const Context& context, const evidence::Array& outputs,
                                 std::span<const std::int64_t> labels) {
  require(outputs.rows() == labels.size(), "correct_rows: {} rows of outputs, {} labels",
          outputs.rows(), labels.size());
  const Numbers answers = answered_classes(context, outputs);
  std::vector<double> correct(labels.size());
  for (std::size_t row = 0; row < correct.size(); ++row) {
    correct[row] = (*answers)[row] == static_cast<double>(labels[row]) ? 1.0 : 0.0;
  }
  return correct;
}

std::vector<double> accuracies(const Context& context, const evidence::Evidence& evidence,
                               const Models& models, std::string_view split) {
  const auto* labels = evidence.find_labels(split);
  std::vector<double> result;
  for (const evidence::Model* model : models) {
    if (labels != nullptr && !labels->empty() && model->has(split)) {
      const std::vector<double> correct =
          correct_rows(context, model->outputs.at(std::string(split)), *labels);
      double sum = 0;
      for (const double value : correct) sum += value;
      result.push_back(sum / static_cast<double>(correct.size()));
      continue;
    }
    const evidence::Group* group = evidence.find(model->role, model->method);
    const std::vector<double>* given =
        group == nullptr ? nullptr : evidence.find_accuracy(*group, split);
    if (given == nullptr) return {};
    const auto place = static_cast<std::size_t>(
        std::find_if(group->models.begin(), group->models.end(),
                     [model](const evidence::Model& other) { return other.name == model->name; }) -
        group->models.begin());
    if (place >= given->size()) return {};
    result.push_back((*given)[place]);
  }
  return result;
}

}  // namespace vestige::metrics
