// Evidence to attack features.
#include "vestige/metrics/inputs/attack_inputs.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/confidence.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/learn/simple_mia.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Model;

const evidence::Array& outputs(const Model& model, std::string_view split) {
  return model.outputs.at(std::string(split));
}

const std::vector<std::int64_t>& labels(const Evidence& evidence, std::string_view split) {
  const auto* found = evidence.find_labels(split);
  assert(found != nullptr && "callers ask has_labels first");
  return *found;
}

constexpr std::size_t kRowsPerRange = 256;

/// Rows [first, last) as they stand.
Matrix read_rows(const evidence::Array& array, std::size_t first, std::size_t last) {
  require(array.rank() >= 2, "an array of shape {} has no columns: give one row per sample",
          evidence::shape_text(array.shape()));
  Matrix result(last - first, array.cols());
  array.read(first * array.cols(), result.values());
  return result;
}

}  // namespace

bool has_outputs(const Model& model, std::initializer_list<std::string_view> splits) {
  return std::all_of(splits.begin(), splits.end(),
                     [&](std::string_view split) { return model.has(split); });
}

bool has_labels(const Evidence& evidence, std::initializer_list<std::string_view> splits) {
  return std::all_of(splits.begin(), splits.end(), [&](std::string_view split) {
    return evidence.find_labels(split) != nullptr;
  });
}

bool has_features(const Evidence& evidence, const Model& model, std::string_view split,
                  AttackFeatures features) {
  if (features == AttackFeatures::saliency) return model.saliency.count(std::string(split)) > 0;
  if (features == AttackFeatures::true_class && !has_labels(evidence, {split})) return false;
  return model.has(split);
}

Matrix split_features(const Evidence& evidence, const Model& model, std::string_view split,
                      AttackFeatures features) {
  const evidence::Array& array = features == AttackFeatures::saliency
                                     ? model.saliency.at(std::string(split))
                                     : outputs(model, split);
  return split_features(evidence, model, split, features, 0, array.rows());
}

Matrix split_features(const Evidence& evidence, const Model& model, std::string_view split,
                      AttackFeatures features, std::size_t first, std::size_t last) {
  if (features == AttackFeatures::saliency) {
    return read_rows(model.saliency.at(std::string(split)), first, last);
  }
  if (features == AttackFeatures::logits && evidence.kind == evidence::OutputKind::logits) {
    return read_rows(outputs(model, split), first, last);
  }
  Matrix log_p(last - first, outputs(model, split).cols());
  parallel_ranges(log_p.rows(), kRowsPerRange, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      evidence::log_probabilities(outputs(model, split), evidence.kind, first + row,
                                  log_p.row(row));
    }
  });
  switch (features) {
    case AttackFeatures::softmax:
      // In place: the matrix of a large split is not held twice.
      parallel_ranges(log_p.rows(), kRowsPerRange, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          exponentials(log_p.row(row), log_p.row(row));
        }
      });
      return log_p;
    case AttackFeatures::sorted_softmax:
      return sorted_softmax_features(log_p);
    case AttackFeatures::true_class:
      return true_class_features(log_p,
                                 std::span(labels(evidence, split)).subspan(first, last - first));
    case AttackFeatures::logits:
    case AttackFeatures::saliency:
      break;
  }
  for (double& value : log_p.values()) value = std::max(value, -kLargestLoss);
  return log_p;
}

Matrix split_features(const Evidence& evidence, const Model& model, std::string_view split,
                      AttackFeatures features, std::span<const std::size_t> rows) {
  Matrix result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Matrix one = split_features(evidence, model, split, features, rows[i], rows[i] + 1);
    if (i == 0) result = Matrix(rows.size(), one.cols());
    std::ranges::copy(one.row(0), result.row(i).begin());
  }
  return result;
}

std::vector<double> split_losses(const Context& context, const Evidence& evidence,
                                 const Model& model, std::string_view split) {
  const evidence::Array& array = outputs(model, split);
  const std::span<const std::int64_t> known(labels(evidence, split));
  require(array.rows() == known.size(), "{} rows and {} labels: give one label per row",
          array.rows(), known.size());
  for (std::size_t row = 0; row < known.size(); ++row) {
    require(known[row] >= 0 && static_cast<std::size_t>(known[row]) < array.cols(),
            "label {} at row {} is outside the {} classes", known[row], row, array.cols());
  }
  const Numbers numbers = kept_true_class(context, array, evidence.kind, known);
  std::vector<double> losses(known.size());
  std::transform(numbers->begin(), numbers->begin() + std::ssize(known), losses.begin(),
                 [](double log_probability) {
                   return std::clamp(-log_probability, -kLargestLoss, kLargestLoss);
                 });
  return losses;
}

std::vector<double> split_confidences(const Context& context, const Evidence& evidence,
                                      const Model& model, std::string_view split) {
  const Matrix one = confidences(context, {&model}, split, labels(evidence, split), evidence.kind);
  return {one.values().begin(), one.values().end()};
}

Matrix select_rows(MatrixView from, const std::vector<std::size_t>& rows) {
  Matrix result(rows.size(), from.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(from.row(rows[i]).begin(), from.row(rows[i]).end(), result.row(i).begin());
  }
  return result;
}

std::vector<double> select_values(const std::vector<double>& from,
                                  const std::vector<std::size_t>& rows) {
  std::vector<double> result;
  for (const std::size_t row : rows) result.push_back(from[row]);
  return result;
}

const Model* partner(const std::vector<const Model*>& models, const std::string& name) {
  for (const Model* model : models) {
    if (model->name == name) return model;
  }
  return models.empty() ? nullptr : models.front();
}

}  // namespace vestige::metrics
