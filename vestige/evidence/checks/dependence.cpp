// Rank correlations between the columns of two sources.
#include "vestige/evidence/checks/dependence.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

namespace vestige::evidence {
namespace {

/// Mean ranks of a column, from 1; equal values share theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  // Values beside their rows: a sort of rows alone would look each value up.
  std::vector<std::pair<double, std::size_t>> order(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) order[row] = {values[row], row};
  std::sort(order.begin(), order.end(),
            [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && order[last].first == order[first].first) ++last;
    const double rank = 0.5 * static_cast<double>(first + last + 1);
    for (; first < last; ++first) ranks[order[first].second] = rank;
  }
  return ranks;
}

/// Sum over rows of left_i * right_j, squared and summed over the columns i and j.
double squared_products(const Matrix& left, const Matrix& right) {
  Matrix products(left.cols(), right.cols());
  for (std::size_t row = 0; row < left.rows(); ++row) {
    const auto other = right.row(row);
    for (std::size_t i = 0; i < left.cols(); ++i) {
      const double value = left(row, i);
      const auto target = products.row(i);
      for (std::size_t j = 0; j < right.cols(); ++j) target[j] += value * other[j];
    }
  }
  double sum = 0;
  for (const double value : products.values()) sum += value * value;
  return sum;
}

/// Centres columns and scales them to length 1; what varies by rounding alone becomes zero.
RowFeatures standardised(Matrix values) {
  RowFeatures features;
  const std::size_t rows = values.rows();
  for (std::size_t col = 0; col < values.cols(); ++col) {
    double mean = 0;
    for (std::size_t row = 0; row < rows; ++row) mean += values(row, col);
    mean /= static_cast<double>(rows);
    double squares = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      values(row, col) -= mean;
      squares += values(row, col) * values(row, col);
    }
    const bool varies = squares > 1e-12;
    const double scale = varies ? 1 / std::sqrt(squares) : 0;
    for (std::size_t row = 0; row < rows; ++row) values(row, col) *= scale;
    features.columns += varies ? 1 : 0;
  }
  features.spread = std::sqrt(squared_products(values, values));
  features.values = std::move(values);
  return features;
}

}  // namespace

RowFeatures row_features(const Matrix& columns) {
  Matrix ranks(columns.rows(), columns.cols());
  std::vector<double> column(columns.rows());
  for (std::size_t col = 0; col < columns.cols(); ++col) {
    for (std::size_t row = 0; row < columns.rows(); ++row) column[row] = columns(row, col);
    const std::vector<double> ranked = ranks_of(column);
    for (std::size_t row = 0; row < columns.rows(); ++row) ranks(row, col) = ranked[row];
  }
  return standardised(std::move(ranks));
}

RowFeatures within_classes(const RowFeatures& features, std::span<const std::int64_t> labels) {
  assert(labels.size() == features.values.rows());
  Matrix values = features.values;
  std::map<std::int64_t, std::vector<std::size_t>> rows_of;
  for (std::size_t row = 0; row < labels.size(); ++row) rows_of[labels[row]].push_back(row);
  for (const auto& [label, rows] : rows_of) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      double mean = 0;
      for (const std::size_t row : rows) mean += values(row, col);
      mean /= static_cast<double>(rows.size());
      for (const std::size_t row : rows) values(row, col) -= mean;
    }
  }
  return standardised(std::move(values));
}

double dependence(const RowFeatures& left, const RowFeatures& right) {
  assert(left.values.rows() == right.values.rows());
  if (left.columns == 0 || right.columns == 0) return 0;
  const auto rows = static_cast<double>(left.values.rows());
  const double total = rows * squared_products(left.values, right.values);
  return (total - left.columns * right.columns) / (std::sqrt(2.0) * left.spread * right.spread);
}

}  // namespace vestige::evidence
