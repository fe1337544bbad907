// The Frechet distance of 2,000 samples from 2,000 test examples: products of whole matrices and
// symmetric eigenvalues against covariances entry by entry and the eigenvalues of S1 S2 itself.
// Argument: columns of the features.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "bench/support/ratio.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/generation/frechet.h"

namespace vestige::metrics {
namespace {

Matrix features(std::size_t cols, std::uint64_t index, double shift) {
  Stream stream(1, "bench.generation", index);
  Matrix rows(2000, cols);
  for (double& value : rows.values()) value = stream.normal() + shift;
  return rows;
}

std::vector<double> plain_means(const Matrix& rows) {
  std::vector<double> means(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < rows.cols(); ++k) {
      means[k] += rows(i, k) / static_cast<double>(rows.rows());
    }
  }
  return means;
}

Eigen::MatrixXd plain_covariance(const Matrix& rows, const std::vector<double>& means) {
  const auto size = static_cast<Eigen::Index>(rows.cols());
  Eigen::MatrixXd covariance(size, size);
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    for (std::size_t k = 0; k < rows.cols(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        sum += (rows(i, j) - means[j]) * (rows(i, k) - means[k]);
      }
      covariance(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) =
          sum / static_cast<double>(rows.rows() - 1);
    }
  }
  return covariance;
}

double plain_frechet(const Matrix& first, const Matrix& second) {
  const std::vector<double> m1 = plain_means(first), m2 = plain_means(second);
  const Eigen::MatrixXd s1 = plain_covariance(first, m1), s2 = plain_covariance(second, m2);
  double distance = s1.trace() + s2.trace();
  for (std::size_t k = 0; k < m1.size(); ++k) distance += (m1[k] - m2[k]) * (m1[k] - m2[k]);
  const Eigen::EigenSolver<Eigen::MatrixXd> product(s1 * s2, false);
  for (Eigen::Index k = 0; k < s1.rows(); ++k) {
    distance -= 2 * std::sqrt(std::max(0.0, product.eigenvalues()(k).real()));
  }
  return distance;
}

void BM_Frechet(benchmark::State& state) {
  const auto cols = static_cast<std::size_t>(state.range(0));
  const Matrix generated = features(cols, 0, 0.5), test = features(cols, 1, 0);
  benchmarks::with_ratio(
      state, [&] { return frechet_distance(generated, test); },
      [&] { return plain_frechet(generated, test); });
}
BENCHMARK(BM_Frechet)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
