// One kernel matrix; bootstrap draws are weights on its rows.
#include "vestige/metrics/smi/smi.h"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using Index = Eigen::Index;

/// forget, members, nonmembers.
using Sizes = std::array<Index, 3>;

Eigen::MatrixXd kernel_of(std::span<const MatrixView> samples, double sigma) {
  std::vector<std::span<const double>> rows;
  for (const MatrixView& sample : samples) {
    for (std::size_t i = 0; i < sample.rows; ++i) rows.push_back(sample.row(i));
  }
  const auto count = static_cast<Index>(rows.size());
  Eigen::MatrixXd kernel(count, count);
  for (Index i = 0; i < count; ++i) {
    kernel(i, i) = 0;
    for (Index j = 0; j < i; ++j) {
      double squares = 0;
      const auto a = rows[static_cast<std::size_t>(i)], b = rows[static_cast<std::size_t>(j)];
      for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
      kernel(i, j) = kernel(j, i) = -squares / (2 * sigma * sigma);
    }
  }
  kernel = kernel.array().exp().matrix();
  return kernel;
}

struct Share {
  double value = kUndefined;
  double distance = kUndefined;
};

/// `weights` say how often each row was drawn, `seen` is the kernel times the weights of each
/// sample alone, one column each. A row is never paired with itself, nor with its own copies.
Share share_of(const Eigen::VectorXd& weights, const Eigen::MatrixXd& seen, const Sizes& sizes) {
  const std::array<Index, 3> begin = {0, sizes[0], sizes[0] + sizes[1]};
  const auto part = [&](std::size_t k) { return weights.segment(begin[k], sizes[k]); };
  const auto mean_kernel = [&](std::size_t a, std::size_t b) {
    double sum = part(a).dot(seen.col(static_cast<Index>(b)).segment(begin[a], sizes[a]));
    double pairs = part(a).sum() * part(b).sum();
    if (a == b) {
      sum -= part(a).squaredNorm();
      pairs -= part(a).squaredNorm();
    }
    return sum / pairs;
  };
  const double members = mean_kernel(1, 1), across = mean_kernel(1, 2);
  Share share;
  share.distance = members + mean_kernel(2, 2) - 2 * across;
  if (!(share.distance > 0)) return share;
  share.value = (mean_kernel(0, 2) - mean_kernel(0, 1) - across + members) / share.distance;
  return share;
}

Share weighted_share(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& weights,
                     const Sizes& sizes) {
  Eigen::MatrixXd seen(kernel.rows(), 3);
  Index at = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    seen.col(static_cast<Index>(k)) =
        kernel.middleCols(at, sizes[k]) * weights.segment(at, sizes[k]);
    at += sizes[k];
  }
  return share_of(weights, seen, sizes);
}

}  // namespace

Smi smi(MatrixView forget, MatrixView members, MatrixView nonmembers, double sigma,
        const SmiOptions& options) {
  require(forget.cols == members.cols && forget.cols == nonmembers.cols,
          "SMI: features have {}, {} and {} columns: all samples must have the same", forget.cols,
          members.cols, nonmembers.cols);
  require(sigma > 0, "SMI: sigma is {}: give a number above 0", sigma);
  Smi result;
  const MatrixView samples[] = {forget, members, nonmembers};
  Sizes sizes{};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sizes[k] = static_cast<Index>(samples[k].rows);
    if (sizes[k] < 2) return result;
  }
  const Eigen::MatrixXd kernel = kernel_of(samples, sigma);
  const Share all = weighted_share(kernel, Eigen::VectorXd::Ones(kernel.rows()), sizes);
  result.share.value = all.value;
  result.distance = all.distance;
  std::vector<double> drawn;
  for (std::size_t replicate = 0; replicate < options.replicates; ++replicate) {
    Stream stream(options.seed, "smi.bootstrap", replicate);
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(kernel.rows());
    Index at = 0;
    for (const Index size : sizes) {
      for (Index i = 0; i < size; ++i) {
        weights(at + static_cast<Index>(stream.below(static_cast<std::uint64_t>(size)))) += 1;
      }
      at += size;
    }
    const double value = weighted_share(kernel, weights, sizes).value;
    if (!std::isnan(value)) drawn.push_back(value);
  }
  if (std::isnan(all.value) || drawn.size() < options.replicates / 2 || drawn.size() < 2) {
    return result;
  }
  result.share.lower = quantile(drawn, 0.025);
  result.share.upper = quantile(drawn, 0.975);
  return result;
}

}  // namespace vestige::metrics
