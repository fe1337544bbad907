// Bootstrap draws are weights on rows: kernel matrices are made block by block, and each block is
// multiplied by the weights of all draws at once.
#include "vestige/metrics/smi/smi.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRowsAtOnce = 8 * PackedRows::kPanel;

/// Rows of a sample and how often each draw has them; the first draw has each of them once.
struct Weighted {
  Weighted(MatrixView values, std::span<const double> offset, Matrix weights_of_draws)
      : rows(values, {}, offset, Products::fused),
        weights(std::move(weights_of_draws)),
        packed(weights, {}, {}, Products::fused) {}

  PackedRows rows;
  Matrix weights;     ///< [draw, row]
  PackedRows packed;  ///< of the weights
};

/// Mean kernel value between rows of the one sample and rows of the other, for each draw. A row is
/// never paired with itself, nor with its own copies.
std::vector<double> mean_kernels(const Weighted& left, const Weighted& right, double sigma) {
  const std::size_t draws = left.weights.rows(), count = right.rows.rows();
  const std::size_t stride = right.packed.panels() * PackedRows::kPanel;
  const std::size_t blocks = (left.rows.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
  Matrix parts(blocks, draws);
  parallel_for(blocks, [&](std::size_t block) {
    const std::size_t first = block * kRowsAtOnce;
    const std::size_t rows = std::min(kRowsAtOnce, left.rows.rows() - first);
    const auto kernel = std::make_unique_for_overwrite<double[]>(rows * count);
    rbf_rows(left.rows, first, first + rows, right.rows, count, sigma,
             {kernel.get(), rows * count});
    const PackedRows packed({kernel.get(), rows, count}, {}, {}, Products::fused);
    std::vector<double> seen(kRowsAtOnce * stride);  // [row, draw]
    dot_tile(packed, 0, packed.panels(), right.packed, 0, right.packed.panels(), seen.data(),
             stride);
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const std::span<const double> weights = left.weights.row(draw).subspan(first, rows);
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) sum += weights[i] * seen[i * stride + draw];
      parts(block, draw) = sum;
    }
  });
  std::vector<double> means;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto a = left.weights.row(draw), b = right.weights.row(draw);
    double sum = 0;
    for (std::size_t block = 0; block < blocks; ++block) sum += parts(block, draw);
    double pairs =
        std::accumulate(a.begin(), a.end(), 0.0) * std::accumulate(b.begin(), b.end(), 0.0);
    if (&left == &right) {
      const double own = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
      sum -= own;
      pairs -= own;
    }
    means.push_back(sum / pairs);
  }
  return means;
}

/// [draw, row] of three samples: once each, then as they were drawn.
std::array<Matrix, 3> draw_weights(const std::array<std::size_t, 3>& sizes,
                                   const SmiOptions& options) {
  std::array<Matrix, 3> weights;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    weights[k] = Matrix(options.replicates + 1, sizes[k]);
    std::ranges::fill(weights[k].row(0), 1.0);
  }
  for (std::size_t replicate = 0; replicate < options.replicates; ++replicate) {
    Stream stream(options.seed, "smi.bootstrap", replicate);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto drawn = weights[k].row(replicate + 1);
      for (std::size_t i = 0; i < sizes[k]; ++i) drawn[stream.below(sizes[k])] += 1;
    }
  }
  return weights;
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
  std::array<std::size_t, 3> sizes{};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sizes[k] = samples[k].rows;
    if (sizes[k] < 2) return result;
  }
  const std::vector<double> offset = column_means(members);
  std::array<Matrix, 3> weights = draw_weights(sizes, options);
  const Weighted asked(forget, offset, std::move(weights[0]));
  const Weighted in(members, offset, std::move(weights[1]));
  const Weighted out(nonmembers, offset, std::move(weights[2]));
  const std::vector<double> within_in = mean_kernels(in, in, sigma),
                            within_out = mean_kernels(out, out, sigma),
                            across = mean_kernels(in, out, sigma),
                            to_in = mean_kernels(asked, in, sigma),
                            to_out = mean_kernels(asked, out, sigma);
  std::vector<double> drawn;
  for (std::size_t draw = 0; draw <= options.replicates; ++draw) {
    const double distance = within_in[draw] + within_out[draw] - 2 * across[draw];
    const double share =
        distance > 0 ? (to_out[draw] - to_in[draw] - across[draw] + within_in[draw]) / distance
                     : kUndefined;
    if (draw == 0) {
      result.share.value = share;
      result.distance = distance;
    } else if (!std::isnan(share)) {
      drawn.push_back(share);
    }
  }
  if (std::isnan(result.share.value) || drawn.size() < options.replicates / 2 || drawn.size() < 2) {
    return result;
  }
  result.share.lower = quantile(drawn, 0.025);
  result.share.upper = quantile(drawn, 0.975);
  return result;
}

}  // namespace vestige::metrics
