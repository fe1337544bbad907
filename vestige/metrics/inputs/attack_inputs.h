// From evidence to the matrices and numbers that membership attacks take.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/matrix.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/inputs/attack_features.h"

namespace vestige::metrics {

/// Whether the model has outputs, and the evidence labels, for every split.
bool has_outputs(const evidence::Model& model, std::initializer_list<std::string_view> splits);
bool has_labels(const evidence::Evidence& evidence, std::initializer_list<std::string_view> splits);

/// Whether `split_features` has what it needs.
bool has_features(const evidence::Evidence& evidence, const evidence::Model& model,
                  std::string_view split, AttackFeatures features);

/// The attack's features of every row of a split.
Matrix split_features(const evidence::Evidence& evidence, const evidence::Model& model,
                      std::string_view split, AttackFeatures features);

/// The same of rows [first, last): a large split need not be held at once.
Matrix split_features(const evidence::Evidence& evidence, const evidence::Model& model,
                      std::string_view split, AttackFeatures features, std::size_t first,
                      std::size_t last);

/// The same of the rows with these places.
Matrix split_features(const evidence::Evidence& evidence, const evidence::Model& model,
                      std::string_view split, AttackFeatures features,
                      std::span<const std::size_t> rows);

/// Cross-entropy of the true class per row.
std::vector<double> split_losses(const Context& context, const evidence::Evidence& evidence,
                                 const evidence::Model& model, std::string_view split);

/// Logit-scaled confidence of the true class per row.
std::vector<double> split_confidences(const Context& context, const evidence::Evidence& evidence,
                                      const evidence::Model& model, std::string_view split);

/// The rows with the given indices.
Matrix select_rows(MatrixView from, const std::vector<std::size_t>& rows);
std::vector<double> select_values(const std::vector<double>& from,
                                  const std::vector<std::size_t>& rows);

/// The model of that name among `models`, else the first, nullptr if there are none.
const evidence::Model* partner(const std::vector<const evidence::Model*>& models,
                               const std::string& name);

}  // namespace vestige::metrics
