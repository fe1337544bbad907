// Kernel values with landmarks, and the root of the inverse of the landmarks' own kernel matrix.
#include "vestige/metrics/kernels/nystrom.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

/// Eigenvalues below this share of the largest are rounding errors of a singular matrix.
constexpr double kSmallestShare = 1e-12;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;

Eigen::Index index_of(std::size_t value) { return static_cast<Eigen::Index>(value); }

RowMajor picked_rows(MatrixView values, std::span<const std::uint32_t> rows) {
  RowMajor result(index_of(rows.size()), index_of(values.cols));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::ranges::copy(values.row(rows[row]), result.row(index_of(row)).data());
  }
  return result;
}

/// The kernel of every row of `left` with every row of `right`.
RowMajor cross_kernel(const RowMajor& left, const RowMajor& right, KernelShape shape,
                      double sigma) {
  // By differences: a row has the distance 0 from itself, where sums of products leave a rounding
  // error whose square root matters.
  RowMajor kernel(left.rows(), right.rows());
  for (Eigen::Index landmark = 0; landmark < right.rows(); ++landmark) {
    kernel.col(landmark) = (left.rowwise() - right.row(landmark)).rowwise().squaredNorm();
  }
  if (shape == KernelShape::laplace) return (-kernel.array().sqrt() / sigma).exp();
  return (-kernel.array() / (2 * sigma * sigma)).exp();
}

KernelSums sums_of(const RowMajor& features, const RowMajor& centred) {
  const double n = static_cast<double>(features.rows());
  const Eigen::VectorXd lengths = centred.rowwise().squaredNorm();
  KernelSums sums;
  sums.n = static_cast<std::size_t>(features.rows());
  sums.trace = lengths.sum();
  sums.squares = (centred.transpose() * centred).squaredNorm();
  sums.diagonal = lengths.squaredNorm();
  sums.off_diagonal =
      (features.colwise().sum().squaredNorm() - features.squaredNorm()) / (n * (n - 1));
  return sums;
}

}  // namespace

NystromSample nystrom_sample(MatrixView values, KernelShape shape, double sigma,
                             std::span<const std::uint32_t> rows,
                             std::span<const std::size_t> landmarks) {
  require(rows.size() >= 2 && !landmarks.empty() && landmarks.size() <= rows.size(),
          "{} landmarks of {} rows: give from 1 landmark to all rows, and at least 2 rows",
          landmarks.size(), rows.size());
  require(
      shape != KernelShape::linear,
      "landmarks stand for a kernel of many dimensions: the linear one has as many as there are "
      "columns, and is computed as it is");
  const RowMajor all = picked_rows(values, rows);
  RowMajor chosen(index_of(landmarks.size()), all.cols());
  for (std::size_t place = 0; place < landmarks.size(); ++place) {
    chosen.row(index_of(place)) = all.row(index_of(landmarks[place]));
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> own(
      Eigen::MatrixXd(cross_kernel(chosen, chosen, shape, sigma)));
  const Eigen::VectorXd& roots = own.eigenvalues();  // ascending
  const double least = kSmallestShare * roots(roots.size() - 1);
  const Eigen::Index dropped = (roots.array() <= least).count();
  const Eigen::Index kept = roots.size() - dropped;
  const RowMajor features = cross_kernel(all, chosen, shape, sigma) *
                            (own.eigenvectors().rightCols(kept) *
                             roots.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
  RowMajor centred = features;
  centred.rowwise() -= features.colwise().mean();

  NystromSample sample;
  sample.sums = sums_of(features, centred);
  // The diagonal of both kernels is 1.
  sample.left_out = std::max(0.0, static_cast<double>(rows.size()) - features.squaredNorm());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spread(
      Eigen::MatrixXd(centred.transpose() * centred), Eigen::EigenvaluesOnly);
  sample.largest = std::max(0.0, spread.eigenvalues().maxCoeff());
  sample.features = Matrix(rows.size(), static_cast<std::size_t>(kept));
  std::copy_n(centred.data(), centred.size(), sample.features.values().begin());
  return sample;
}

std::vector<double> hsic_shuffled(const NystromSample& k, const NystromSample& l,
                                  const Permutations& permutations) {
  const std::size_t n = k.features.rows();
  require(n == l.features.rows() && n >= 2,
          "features of {} and {} rows: both need the same number, at least 2", n,
          l.features.rows());
  const Rows left(k.features.values().data(), index_of(n), index_of(k.features.cols()));
  const Rows right(l.features.values().data(), index_of(n), index_of(l.features.cols()));
  const double scale = static_cast<double>(n - 1) * static_cast<double>(n - 1);
  std::vector<double> values;
  RowMajor moved(right.rows(), right.cols());
  for (std::size_t shuffle = 0; shuffle < permutations.count(); ++shuffle) {
    const std::span<const std::uint32_t> order = permutations.at(shuffle);
    for (std::size_t row = 0; row < n; ++row) {
      moved.row(index_of(row)) = right.row(index_of(order[row]));
    }
    values.push_back((left.transpose() * moved).squaredNorm() / scale);
  }
  return values;
}

double nystrom_gap(const NystromSample& k, const NystromSample& l) {
  const auto n = static_cast<double>(k.features.rows());
  return (k.left_out * (l.largest + l.left_out) + k.largest * l.left_out) / ((n - 1) * (n - 1));
}

}  // namespace vestige::metrics
