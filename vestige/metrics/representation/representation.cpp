// CKA, nearest neighbours and a ridge classifier on dense activations.
#include "vestige/metrics/representation/representation.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/dot_products.h"

namespace vestige::metrics {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> mapped(MatrixView view) {
  return {view.data, static_cast<Eigen::Index>(view.rows), static_cast<Eigen::Index>(view.cols)};
}

Rows centred(MatrixView view) {
  Rows rows = mapped(view);
  const Eigen::RowVectorXd means = rows.colwise().mean();
  rows.rowwise() -= means;
  return rows;
}

/// |Y'X|^2 = tr(XX'YY'), by whichever of the two is smaller.
double squared_alignment(const Rows& x, const Rows& y) {
  if (std::min(x.cols(), y.cols()) <= x.rows()) return (y.transpose() * x).squaredNorm();
  const Rows left = x * x.transpose(), right = y * y.transpose();
  return left.cwiseProduct(right).sum();
}

void check(const LabelledActivations& fitted, const LabelledActivations& queries) {
  require(fitted.rows.rows > 0,
          "a classifier on activations got no examples to fit: give at least one");
  require(fitted.rows.cols == queries.rows.cols,
          "fitted activations have {} columns, queries {}: both must be of the same layer",
          fitted.rows.cols, queries.rows.cols);
  require(fitted.labels.size() == fitted.rows.rows && queries.labels.size() == queries.rows.rows,
          "activations have {} and {} rows, labels {} and {}: give one label per row",
          fitted.rows.rows, queries.rows.rows, fitted.labels.size(), queries.labels.size());
  for (const auto label : fitted.labels) {
    require(label >= 0, "a fitted example has the label {}: labels count from 0", label);
  }
}

std::size_t class_count(const LabelledActivations& fitted) {
  return static_cast<std::size_t>(*std::max_element(fitted.labels.begin(), fitted.labels.end())) +
         1;
}

/// The first of the largest.
std::int64_t largest(std::span<const double> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace

double linear_cka(MatrixView x, MatrixView y) {
  require(x.rows == y.rows,
          "CKA: activations have {} and {} rows: both must be of the same examples", x.rows,
          y.rows);
  if (x.rows < 2) return kUndefined;
  const Rows a = centred(x), b = centred(y);
  const double scale = std::sqrt(squared_alignment(a, a)) * std::sqrt(squared_alignment(b, b));
  // Centring leaves rounding errors where a column is constant: no more than this share of the
  // values themselves.
  const double noise = 1e-24 * mapped(x).squaredNorm() * mapped(y).squaredNorm();
  if (!(scale > noise)) return kUndefined;
  return squared_alignment(a, b) / scale;
}

std::vector<double> nearest_neighbours(const LabelledActivations& fitted,
                                       const LabelledActivations& queries, std::size_t neighbours) {
  check(fitted, queries);
  const std::size_t count = std::min(std::max<std::size_t>(neighbours, 1), fitted.rows.rows);
  const std::size_t classes = class_count(fitted);
  // |a - b|^2 = |a|^2 + |b|^2 - 2 a.b from tiles of products; |b|^2 is the same for every row that
  // a query is compared with. Centring keeps the subtraction from losing digits.
  const std::vector<double> offset = column_means(fitted.rows);
  const PackedRows packed(fitted.rows, {}, offset, Products::fused),
      asked(queries.rows, {}, offset, Products::fused);
  const std::size_t stride = packed.panels() * PackedRows::kPanel;
  std::vector<double> right(queries.rows.rows);
  parallel_for(asked.panels(), [&](std::size_t panel) {
    std::vector<double> products(PackedRows::kPanel * stride);
    dot_tile(asked, panel, panel + 1, packed, 0, packed.panels(), products.data(), stride);
    std::vector<double> votes(classes);
    std::vector<std::pair<double, std::size_t>> nearest;
    const auto norms = packed.squared_norms();
    const std::size_t first = panel * PackedRows::kPanel;
    const std::size_t last = std::min(first + PackedRows::kPanel, right.size());
    for (std::size_t query = first; query < last; ++query) {
      const double* product = products.data() + (query - first) * stride;
      // The nearest so far, ascending; of rows as near as each other the first counts. Few rows are
      // nearer than the last of them.
      nearest.clear();
      for (std::size_t i = 0; i < norms.size(); ++i) {
        const std::pair<double, std::size_t> row{norms[i] - 2 * product[i], i};
        if (nearest.size() == count) {
          if (!(row.first < nearest.back().first)) continue;
          nearest.pop_back();
        }
        nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), row), row);
      }
      std::fill(votes.begin(), votes.end(), 0.0);
      for (const auto& [distance, row] : nearest) {
        votes[static_cast<std::size_t>(fitted.labels[row])] += 1;
      }
      right[query] = largest(votes) == queries.labels[query] ? 1 : 0;
    }
  });
  return right;
}

std::vector<double> linear_probe(const LabelledActivations& fitted,
                                 const LabelledActivations& queries, double ridge) {
  return std::move(linear_probe(fitted, std::span(&queries, 1), ridge).front());
}

std::vector<std::vector<double>> linear_probe(const LabelledActivations& fitted,
                                              std::span<const LabelledActivations> queries,
                                              double ridge) {
  for (const LabelledActivations& group : queries) check(fitted, group);
  require(ridge > 0, "linear probe: ridge is {}: give a number above 0", ridge);
  const auto rows = static_cast<double>(fitted.rows.rows);
  const Eigen::RowVectorXd means = mapped(fitted.rows).colwise().mean();
  Rows x = centred(fitted.rows);
  const Eigen::RowVectorXd widths = (x.colwise().squaredNorm() / rows).cwiseSqrt();
  // A column whose spread is rounding error is constant and says nothing.
  const Eigen::RowVectorXd factors =
      (widths.array() > 1e-12 * means.array().abs() && widths.array() > 0)
          .select(widths.cwiseInverse(), Eigen::RowVectorXd::Zero(widths.size()));
  x *= factors.asDiagonal();
  const auto classes = static_cast<Eigen::Index>(class_count(fitted));
  Rows targets = Rows::Zero(x.rows(), classes);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    targets(i, fitted.labels[static_cast<std::size_t>(i)]) = 1;
  }
  const Eigen::RowVectorXd intercept = targets.colwise().mean();
  targets.rowwise() -= intercept;
  Eigen::MatrixXd normal = x.transpose() * x;
  normal.diagonal().array() += ridge;
  const Eigen::MatrixXd weights = normal.llt().solve(x.transpose() * targets);
  std::vector<std::vector<double>> results;
  for (const LabelledActivations& group : queries) {
    Rows asked = mapped(group.rows);
    asked.rowwise() -= means;
    asked *= factors.asDiagonal();
    Rows answers = asked * weights;
    answers.rowwise() += intercept;
    std::vector<double>& right = results.emplace_back(group.rows.rows);
    for (std::size_t i = 0; i < right.size(); ++i) {
      const std::span<const double> row(answers.data() + i * static_cast<std::size_t>(classes),
                                        static_cast<std::size_t>(classes));
      right[i] = largest(row) == group.labels[i] ? 1 : 0;
    }
  }
  return results;
}

}  // namespace vestige::metrics
