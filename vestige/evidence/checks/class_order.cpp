// Circles among classes.
#include "vestige/evidence/checks/class_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "vestige/base/parallel.h"
#include "vestige/evidence/blocks.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/split_checks.h"

namespace vestige::evidence {
namespace {

constexpr std::size_t kExamplesPerSplit = 4096;
// Examples of a class from which its commonest answer is told.
constexpr std::size_t kFewestOfClass = 3;
// How much more often the exchanged class is answered than the label, beyond three deviations.
constexpr double kMoreOften = 0.2;

/// What a model answers to the examples of each label.
struct ClassOrder {
  const Model* model = nullptr;
  std::string split;                ///< where its answers were looked at, for the name of a file
  std::vector<std::size_t> answer;  ///< by label, the class that is answered; itself if not moved
  std::size_t moved = 0;            ///< labels that another class is answered for
  double right = 0;                 ///< share of right answers
  double reordered = 0;             ///< the same with the columns reordered

  std::size_t first_moved() const {
    for (std::size_t label = 0; label < answer.size(); ++label) {
      if (answer[label] != label) return label;
    }
    return 0;
  }
};

/// Labels that lie on a circle of answers (c -> d -> c) keep theirs, all others get themselves.
std::vector<std::size_t> circles(std::vector<std::size_t> commonest) {
  std::vector<std::size_t> result(commonest.size());
  for (std::size_t label = 0; label < commonest.size(); ++label) {
    std::size_t place = commonest[label];
    for (std::size_t step = 0; step < commonest.size() && place != label; ++step) {
      place = commonest[place];
    }
    result[label] = place == label ? commonest[label] : label;
  }
  return result;
}

ClassOrder order_of(const Evidence& evidence, const Model& model) {
  ClassOrder order{&model, "", {}};
  const std::size_t classes = evidence.classes;
  std::vector<std::size_t> labels, answers;
  std::vector<double> values(classes);
  for (const char* split : {"test", "retain"}) {
    const auto* truth = evidence.find_labels(model, split);
    if (!model.has(split) || truth == nullptr) continue;
    const Array& outputs = model.outputs.at(split);
    if (outputs.cols() != classes || outputs.rows() != truth->size()) continue;
    if (order.split.empty()) order.split = split;
    const std::size_t count = std::min(kExamplesPerSplit, outputs.rows());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = i * outputs.rows() / count;
      const auto label = (*truth)[row];
      if (label < 0 || static_cast<std::size_t>(label) >= classes) return order;
      outputs.read(row * classes, values);
      labels.push_back(static_cast<std::size_t>(label));
      answers.push_back(static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                                 values.begin()));
    }
  }
  // Labels are often sorted or alternate: odd and even are counted within each label.
  // Of 100,000 classes few pairs occur: a table of all pairs would take 80 GB.
  std::vector<std::map<std::size_t, std::size_t>> seen(classes);
  std::vector<std::size_t> of_label(classes), told(classes);
  std::vector<char> first_half(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    first_half[i] = of_label[labels[i]]++ % 2 == 0 ? 1 : 0;
    if (first_half[i] == 0) continue;
    ++seen[labels[i]][answers[i]];
    ++told[labels[i]];
  }
  std::vector<std::size_t> commonest(classes);
  for (std::size_t label = 0; label < classes; ++label) {
    const auto& row = seen[label];
    const auto most = std::max_element(
        row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto own = row.find(label);
    const bool clear = told[label] >= kFewestOfClass && most != row.end() &&
                       most->second > (own == row.end() ? 0 : own->second);
    commonest[label] = clear ? most->first : label;
  }
  order.answer = circles(std::move(commonest));
  double rows = 0, exchanged = 0, as_labelled = 0, right = 0, reordered = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    right += answers[i] == labels[i] ? 1 : 0;
    reordered += answers[i] == order.answer[labels[i]] ? 1 : 0;
    if (first_half[i] != 0 || order.answer[labels[i]] == labels[i]) continue;
    rows += 1;
    exchanged += answers[i] == order.answer[labels[i]] ? 1 : 0;
    as_labelled += answers[i] == labels[i] ? 1 : 0;
  }
  const bool sure =
      rows > 0 && (exchanged - as_labelled) / rows > kMoreOften + 3 * std::sqrt(0.25 / rows);
  if (!sure) return order;
  const auto all = static_cast<double>(labels.size());
  order.right = right / all;
  order.reordered = reordered / all;
  for (std::size_t label = 0; label < classes; ++label) {
    order.moved += order.answer[label] != label ? 1U : 0U;
  }
  return order;
}

/// Share of the answers of a model on a split that lie above a class.
double answers_above(const Array& outputs, std::size_t last) {
  constexpr std::size_t most = 512;
  const std::size_t count = std::min(most, outputs.rows());
  std::vector<double> values(outputs.cols());
  double above = 0;
  for (std::size_t i = 0; i < count; ++i) {
    outputs.read(i * outputs.rows() / count * outputs.cols(), values);
    const auto answer =
        static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
    above += answer > last ? 1 : 0;
  }
  return above / static_cast<double>(count);
}

}  // namespace

Findings check_class_order(const Evidence& evidence) {
  if (evidence.classes < 2) return {};
  std::vector<const Model*> models;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (is_compared(model) && (model.has("test") || model.has("retain"))) {
        models.push_back(&model);
      }
    }
  }
  std::vector<ClassOrder> orders(models.size());
  parallel_for(models.size(),
               [&](std::size_t index) { orders[index] = order_of(evidence, *models[index]); });
  const auto sound = std::find_if(orders.begin(), orders.end(),
                                  [](const ClassOrder& order) { return order.moved == 0; });
  Findings findings;
  if (sound == orders.end() && orders.size() > 1) {
    const bool alike = std::all_of(orders.begin(), orders.end(), [&](const ClassOrder& order) {
      return order.answer == orders.front().answer;
    });
    if (alike) {
      const ClassOrder& first = orders.front();
      const std::size_t label = first.first_moved();
      return {{Severity::warning, file_of(evidence, "labels/" + first.split),
               reason(Code::labels_number_classes_otherwise, label, first.answer[label],
                      first.moved, first.right, first.reordered),
               "W-CLASSES", "", true}};
    }
  }
  for (const ClassOrder& order : orders) {
    if (order.moved == 0) continue;
    const std::size_t label = order.first_moved();
    findings.push_back({Severity::warning, file_of(evidence, *order.model, order.split),
                        reason(Code::classes_in_other_order, label, order.answer[label],
                               order.moved, order.right, order.reordered),
                        "W-CLASSES", order.model->id(), true});
  }
  return findings;
}

Findings check_columns(const Evidence& evidence) {
  std::int64_t largest = -1;
  for (const auto& [split, labels] : evidence.labels) {
    for (const std::int64_t label : labels) largest = std::max(largest, label);
  }
  const auto last = static_cast<std::size_t>(std::max<std::int64_t>(largest, 0));
  if (largest < 0 || evidence.classes <= 2 * (last + 1) || evidence.classes <= last + 10) return {};
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (model.outputs.empty() || model.role == "random") continue;
      const auto& [split, outputs] = *model.outputs.begin();
      const double outside = answers_above(outputs, last);
      return {{Severity::warning, file_of(evidence, model, split),
               reason(Code::columns_beyond_labels, outputs.cols(), last, outside), "W-COLUMNS", "",
               outside > 0.5}};
    }
  }
  return {};
}

}  // namespace vestige::evidence
