// Witnesses are linear in the sample that they look for, so that all permutations are one product.
#include "vestige/metrics/kernel_test/relative_test.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/dot_products.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using Dense = Eigen::MatrixXd;
using Index = Eigen::Index;

/// Squared distances of all rows of several samples, one after the other.
Dense squared_distances(std::span<const MatrixView> samples) {
  Index rows = 0;
  for (const MatrixView& sample : samples) rows += static_cast<Index>(sample.rows);
  Dense stacked(rows, static_cast<Index>(samples.front().cols));
  Index at = 0;
  for (const MatrixView& sample : samples) {
    for (std::size_t i = 0; i < sample.rows; ++i, ++at) {
      for (std::size_t k = 0; k < sample.cols; ++k)
        stacked(at, static_cast<Index>(k)) = sample(i, k);
    }
  }
  Dense result(rows, rows);
  for (Index i = 0; i < rows; ++i) {
    result(i, i) = 0;
    for (Index j = 0; j < i; ++j) {
      result(i, j) = result(j, i) = (stacked.row(i) - stacked.row(j)).squaredNorm();
    }
  }
  return result;
}

/// left' right: columns are contiguous, so that products of columns are products of packed rows,
/// which take a fraction of the time of Eigen's for processors of any age.
Dense product(const Dense& left, const Dense& right) {
  const auto packed = [](const Dense& matrix) {
    return PackedRows({matrix.data(), static_cast<std::size_t>(matrix.cols()),
                       static_cast<std::size_t>(matrix.rows())},
                      {}, {}, Products::fused);
  };
  constexpr std::size_t kAtOnce = 8;  // panels that share what is read of the columns
  const PackedRows rows = packed(left), columns = packed(right);
  const std::size_t stride = columns.panels() * PackedRows::kPanel;
  std::vector<double> tile(kAtOnce * PackedRows::kPanel * stride);
  Dense result(left.cols(), right.cols());
  for (std::size_t panel = 0; panel < rows.panels(); panel += kAtOnce) {
    dot_tile(rows, panel, std::min(panel + kAtOnce, rows.panels()), columns, 0, columns.panels(),
             tile.data(), stride);
    const auto first = static_cast<Index>(panel * PackedRows::kPanel);
    const auto height =
        std::min(static_cast<Index>(kAtOnce * PackedRows::kPanel), left.cols() - first);
    using Tile = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    result.middleRows(first, height) = Eigen::Map<const Tile, 0, Eigen::OuterStride<>>(
        tile.data(), height, right.cols(), Eigen::OuterStride<>(static_cast<Index>(stride)));
  }
  return result;
}

/// Entries that no sum with larger ones notices become 0. A narrow kernel has many below 1e-300,
/// and processors take a hundred times as long for products of them.
Dense without_traces(Dense matrix) {
  constexpr double kTrace = 1e-150;  // products of two of the others are normal numbers
  return (matrix.array().abs() < kTrace).select(0, matrix);
}

/// (1 + l) / l (K - K_P (K_PP + n l I)^-1 K_P'), P being the first n rows: the witness for any
/// sample is the mean of its columns minus the mean of those of P.
Dense witness_columns(const Dense& squares, Index n, double sigma, double lambda) {
  const Dense kernel =
      without_traces((squares.array() * (-1 / (2 * sigma * sigma))).exp().matrix());
  Dense regularised = kernel.topLeftCorner(n, n);
  regularised.diagonal().array() += static_cast<double>(n) * lambda;
  const Dense known = kernel.topRows(n);  // K_P', because K is symmetric
  const Dense solved = without_traces(regularised.llt().solve(known));
  return without_traces((kernel - product(known, solved)) * ((1 + lambda) / lambda));
}

/// Evenly spaced from half of the 5 % quantile to twice the 95 % quantile of distances, as in the
/// authors' code; distances of 0 count as the median. Empty where all are 0.
std::vector<double> bandwidths_of(const Dense& squares, std::size_t count) {
  std::vector<double> distances;
  for (Index i = 0; i < squares.rows(); ++i) {
    for (Index j = 0; j < i; ++j) distances.push_back(std::sqrt(squares(i, j)));
  }
  const double middle = median(distances);
  for (double& value : distances) value = value == 0 ? middle : value;
  const double low = quantile(distances, 0.05) / 2, high = quantile(distances, 0.95) * 2;
  if (!(low > 0)) return {};
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = count == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(count - 1);
    result.push_back(low + (high - low) * share);
  }
  return result;
}

/// Statistics of one setting, observed first, then permuted: [divergence][1 + permutations].
using Statistics = std::array<std::vector<double>, 3>;

/// exchanged(i, b): whether permutation b exchanges pair i; the first column exchanges nothing.
Statistics statistics_of(const Dense& squares, Index n, double sigma, double lambda,
                         const Dense& exchanged) {
  const Dense columns = witness_columns(squares, n, sigma, lambda);
  const Eigen::VectorXd base = columns.leftCols(n).rowwise().mean();
  const auto pairs = columns.middleCols(n, n);
  // What exchanging a pair adds, a column for each row.
  const Dense difference = (columns.rightCols(n) - pairs).transpose();
  const Dense changes = product(difference, exchanged) / static_cast<double>(n);
  const Eigen::VectorXd first_mean = pairs.rowwise().mean(),
                        second_mean = columns.rightCols(n).rowwise().mean();
  Statistics result;
  std::vector<double> on_model(static_cast<std::size_t>(n)), on_sample(on_model.size());
  for (Index b = 0; b < exchanged.cols(); ++b) {
    std::array<double, 3> total{};
    for (const bool second : {false, true}) {
      Eigen::VectorXd ratio = second ? Eigen::VectorXd(second_mean - changes.col(b))
                                     : Eigen::VectorXd(first_mean + changes.col(b));
      ratio.array() += 1 - base.array();
      for (Index i = 0; i < n; ++i) {
        on_model[static_cast<std::size_t>(i)] = ratio(i);
        // Row i of this sample: its own, or the other's where the pair is exchanged.
        const bool other = (exchanged(i, b) != 0) != second;
        on_sample[static_cast<std::size_t>(i)] = ratio((other ? 2 * n : n) + i);
      }
      const auto one = witness_divergences(on_model, on_sample);
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += second ? -one[k] : one[k];
    }
    for (std::size_t k = 0; k < total.size(); ++k) result[k].push_back(total[k]);
  }
  return result;
}

/// For each value the share of values at least as large.
std::vector<double> upper_shares(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> shares;
  for (const double value : values) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
    shares.push_back(1 - static_cast<double>(at) / static_cast<double>(values.size()));
  }
  return shares;
}

/// The smallest p over settings, by its own permutation distribution; `sign` -1 looks downwards.
double aggregated(const std::vector<Statistics>& settings, std::size_t divergence, double sign) {
  std::vector<double> least(settings.front()[divergence].size(), 1.0);
  for (const Statistics& one : settings) {
    std::vector<double> values = one[divergence];
    for (double& value : values) value *= sign;
    const std::vector<double> shares = upper_shares(values);
    for (std::size_t b = 0; b < least.size(); ++b) least[b] = std::min(least[b], shares[b]);
  }
  for (double& value : least) value = -value;
  return upper_shares(least).front();
}

}  // namespace

std::string_view name(WitnessDivergence divergence) {
  switch (divergence) {
    case WitnessDivergence::chi_squared:
      return "chi_squared";
    case WitnessDivergence::hockey_stick:
      return "hockey_stick";
    case WitnessDivergence::kullback_leibler:
      return "kullback_leibler";
  }
  return "";
}

std::array<double, 3> witness_divergences(std::span<const double> ratio_p,
                                          std::span<const double> ratio_q) {
  const auto above = [](std::span<const double> ratios) {
    const auto count = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r > 1; });
    return static_cast<double>(count) / static_cast<double>(ratios.size());
  };
  double logs = 0, floored = 0;
  for (const double ratio : ratio_q) logs += std::log(std::max(ratio, kLeastRatio));
  for (const double ratio : ratio_p) floored += std::max(ratio, kLeastRatio);
  return {mean(ratio_q) - mean(ratio_p), above(ratio_q) - above(ratio_p),
          logs / static_cast<double>(ratio_q.size()) -
              floored / static_cast<double>(ratio_p.size()) + 1};
}

std::vector<double> witness_ratio(MatrixView p, MatrixView q, double sigma, double lambda) {
  require(p.cols == q.cols, "witness: samples have {} and {} columns: both must have the same",
          p.cols, q.cols);
  require(sigma > 0 && lambda > 0, "witness: sigma {} and lambda {} must be above 0", sigma,
          lambda);
  const MatrixView samples[] = {p, q};
  const auto n = static_cast<Index>(p.rows);
  const Dense columns = witness_columns(squared_distances(samples), n, sigma, lambda);
  const Eigen::VectorXd ratio =
      columns.rightCols(columns.cols() - n).rowwise().mean() - columns.leftCols(n).rowwise().mean();
  std::vector<double> result;
  for (Index i = 0; i < ratio.size(); ++i) result.push_back(1 + ratio(i));
  return result;
}

RelativeTest relative_test(MatrixView model, MatrixView first, MatrixView second,
                           const RelativeTestOptions& options) {
  require(
      model.rows == first.rows && model.rows == second.rows && model.cols == first.cols &&
          model.cols == second.cols,
      "relative test: samples are [{}, {}], [{}, {}] and [{}, {}]: all must cover the same rows",
      model.rows, model.cols, first.rows, first.cols, second.rows, second.cols);
  for (const double lambda : options.lambdas) {
    require(lambda > 0, "relative test: lambda is {}: give numbers above 0", lambda);
  }
  RelativeTest result;
  if (model.rows < 2 || options.lambdas.empty() || options.bandwidths == 0) return result;
  const MatrixView samples[] = {model, first, second};
  const Dense squares = squared_distances(samples);
  const std::vector<double> bandwidths = bandwidths_of(squares, options.bandwidths);
  if (bandwidths.empty()) return result;
  const auto n = static_cast<Index>(model.rows);
  Dense exchanged = Dense::Zero(n, static_cast<Index>(options.permutations) + 1);
  for (Index b = 1; b < exchanged.cols(); ++b) {
    Stream stream(options.seed, "kernel_test.exchange", static_cast<std::uint64_t>(b));
    for (Index i = 0; i < n; ++i) exchanged(i, b) = static_cast<double>(stream.below(2));
  }
  std::vector<Statistics> settings(bandwidths.size() * options.lambdas.size());
  parallel_for(settings.size(), [&](std::size_t place) {
    settings[place] = statistics_of(squares, n, bandwidths[place / options.lambdas.size()],
                                    options.lambdas[place % options.lambdas.size()], exchanged);
  });
  for (std::size_t k = 0; k < kWitnessDivergences.size(); ++k) {
    result.nearer_second[k] = aggregated(settings, k, 1);
    result.nearer_first[k] = aggregated(settings, k, -1);
  }
  return result;
}

}  // namespace vestige::metrics
