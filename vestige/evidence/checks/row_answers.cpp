// Reading rows as probabilities, and their features.
#include "vestige/evidence/checks/row_answers.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/blocks.h"

namespace vestige::evidence {
namespace {

// Plenty to see an order, and few enough that the check costs less than reading the files.
constexpr std::size_t kRowsCompared = 512;
// More classes than this are projected to so many columns of random signs.
constexpr std::size_t kColumns = 16;
// Models that each model is compared with, of different groups where possible.
constexpr std::size_t kReferences = 6;
// Share of rows with the same answer from which on a model counts as collapsed.
constexpr double kCollapsed = 0.9;

/// Class columns as few columns: themselves, or random signs of them, the same ones every time.
class Projection {
 public:
  explicit Projection(std::size_t classes) : columns_(std::min(classes, kColumns)) {
    if (classes <= kColumns) return;
    for (std::size_t label = 0; label < classes; ++label) {
      signs_.push_back(Stream(0, "row order", label)());
    }
  }

  std::size_t columns() const { return columns_; }

  void operator()(std::span<const double> classes, std::span<double> out) const {
    if (signs_.empty()) {
      std::copy(classes.begin(), classes.end(), out.begin());
      return;
    }
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t label = 0; label < classes.size(); ++label) {
      for (std::size_t col = 0; col < columns_; ++col) {
        out[col] += (signs_[label] >> col & 1U) != 0 ? classes[label] : -classes[label];
      }
    }
  }

 private:
  std::size_t columns_;
  std::vector<std::uint64_t> signs_;
};

RowFeatures features_of_labels(const SplitAnswers& split, std::size_t classes,
                               const Projection& project) {
  Matrix columns(split.labels.size(), project.columns());
  std::vector<double> one_hot(classes);
  for (std::size_t row = 0; row < split.labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(split.labels[row]);
    one_hot[label] = 1;
    project(one_hot, columns.row(row));
    one_hot[label] = 0;
  }
  return row_features(columns);
}

Said look_at(const Evidence& evidence, const Model& model, const SplitAnswers& split,
             const RowFeatures& labels, const Projection& project) {
  Said said;
  said.model = &model;
  const Array& outputs = model.outputs.at(split.name);
  const std::size_t classes = outputs.cols();
  Matrix columns(split.rows.size(), project.columns());
  std::vector<double> values(classes);
  std::vector<double> answers(classes), truth(classes);
  for (std::size_t index = 0; index < split.rows.size(); ++index) {
    probabilities(outputs, evidence.kind, split.rows[index], values);
    const bool finite = std::all_of(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
    if (!finite) return said;
    const auto answer =
        static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
    const auto label = static_cast<std::size_t>(split.labels[index]);
    const double share = 1 / static_cast<double>(split.rows.size());
    answers[answer] += share;
    truth[label] += share;
    said.right += answer == label ? share : 0;
    project(values, columns.row(index));
  }
  said.readable = true;
  said.most = *std::max_element(answers.begin(), answers.end());
  said.collapsed = said.most >= kCollapsed && split.commonest_label <= 0.5;
  for (std::size_t label = 0; label < classes; ++label) {
    said.right_in_any_order += answers[label] * truth[label];
  }
  said.features = row_features(columns);
  said.within = within_classes(said.features, split.labels);
  if (split.several_classes()) said.with_labels = dependence(said.features, labels);
  return said;
}

}  // namespace

SplitAnswers answers_on(const Evidence& evidence, const std::string& name) {
  SplitAnswers split;
  split.name = name;
  const auto* labels = evidence.find_labels(name);
  if (labels == nullptr || evidence.classes < 2) return split;
  const auto classes = static_cast<std::int64_t>(evidence.classes);
  const bool fit = std::all_of(labels->begin(), labels->end(), [classes](std::int64_t label) {
    return label >= 0 && label < classes;
  });
  if (!fit) return split;
  // Spread over the split, because rows are often sorted by class.
  const std::size_t count = std::min(kRowsCompared, labels->size());
  std::vector<std::size_t> counts(evidence.classes);
  for (std::size_t index = 0; index < count; ++index) {
    split.rows.push_back(index * labels->size() / count);
    split.labels.push_back((*labels)[split.rows.back()]);
    ++counts[static_cast<std::size_t>(split.labels.back())];
  }
  split.commonest_label = static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
                          static_cast<double>(count);
  std::vector<const Model*> models;
  for (const Group& group : evidence.groups) {
    if (group.role == "random" || group.role == "checkpoint") continue;
    for (const Model& model : group.models) {
      if (!model.has(name) || evidence.find_labels(model, name) != labels) continue;
      if (split.references.size() < kReferences &&
          (&model == &group.models.front() || evidence.groups.size() < kReferences)) {
        split.references.push_back(models.size());
      }
      models.push_back(&model);
    }
  }
  const Projection project(evidence.classes);
  const RowFeatures of_labels = features_of_labels(split, evidence.classes, project);
  split.models.resize(models.size());
  parallel_for(models.size(), [&](std::size_t index) {
    split.models[index] = look_at(evidence, *models[index], split, of_labels, project);
  });
  return split;
}

}  // namespace vestige::evidence
