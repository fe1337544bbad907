// Means, covariances and the trace of a matrix square root.
#include "vestige/metrics/generation/frechet.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {
namespace {

using MappedRows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

struct Normal {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

Normal normal_of(MatrixView view) {
  const MappedRows rows(view.data, static_cast<Eigen::Index>(view.rows),
                        static_cast<Eigen::Index>(view.cols));
  Normal normal;
  normal.mean = rows.colwise().mean();
  const Eigen::MatrixXd centred = rows.rowwise() - normal.mean.transpose();
  normal.covariance = centred.transpose() * centred / static_cast<double>(view.rows - 1);
  return normal;
}

/// The symmetric root of a covariance; eigenvalues that rounding made negative count as 0.
Eigen::MatrixXd root_of(const Eigen::MatrixXd& covariance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(covariance);
  return solved.eigenvectors() * solved.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
         solved.eigenvectors().transpose();
}

}  // namespace

double frechet_distance(MatrixView first, MatrixView second) {
  assert(first.cols == second.cols);
  if (first.rows < 2 || second.rows < 2) return kUndefined;
  const Normal left = normal_of(first), right = normal_of(second);
  // S1 S2 and the symmetric root(S1) S2 root(S1) have the same eigenvalues.
  const Eigen::MatrixXd root = root_of(left.covariance);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> mixed(root * right.covariance * root,
                                                             Eigen::EigenvaluesOnly);
  const double shared = mixed.eigenvalues().cwiseMax(0).cwiseSqrt().sum();
  const double distance = (left.mean - right.mean).squaredNorm() + left.covariance.trace() +
                          right.covariance.trace() - 2 * shared;
  return std::max(0.0, distance);
}

}  // namespace vestige::metrics
