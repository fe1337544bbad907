// Sliced Wasserstein distances.
#include "vestige/metrics/sde/wasserstein.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/dot_products.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {
namespace {

constexpr std::uint64_t kDirectionSeed = 1;

/// All rows on all directions, [directions, rows].
Matrix project(MatrixView values, const Matrix& directions) {
  require(values.cols == directions.cols(), "samples with {} and {} columns: both need the same",
          values.cols, directions.cols());
  const PackedRows rows(values, {}, {});
  const PackedRows axes(directions, {}, {});
  Matrix result(directions.rows(), values.rows);
  parallel_for(axes.panels(), [&](std::size_t axis) {
    std::vector<double> tile(PackedRows::kPanel * rows.panels() * PackedRows::kPanel);
    const std::size_t stride = rows.panels() * PackedRows::kPanel;
    dot_tile(axes, axis, axis + 1, rows, 0, rows.panels(), tile.data(), stride);
    for (std::size_t i = 0; i < PackedRows::kPanel; ++i) {
      const std::size_t direction = axis * PackedRows::kPanel + i;
      if (direction >= directions.rows()) break;
      std::copy_n(tile.data() + i * stride, values.rows, result.row(direction).begin());
    }
  });
  return result;
}

/// The values of each set in ascending order, from one sort of all values.
std::vector<std::vector<double>> sorted_sets(std::span<const double> values,
                                             std::span<const RowSet> sets) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [values](std::uint32_t a, std::uint32_t b) {
    return values[a] < values[b] || (values[a] == values[b] && a < b);
  });
  std::vector<std::vector<double>> result;
  std::vector<char> member(values.size());
  for (const RowSet& set : sets) {
    std::fill(member.begin(), member.end(), 0);
    for (const std::uint32_t row : set) member[row] = 1;
    std::vector<double> chosen;
    chosen.reserve(set.size());
    for (const std::uint32_t row : order) {
      if (member[row] != 0) chosen.push_back(values[row]);
    }
    result.push_back(std::move(chosen));
  }
  return result;
}

void check_sets(std::span<const RowSet> sets, std::size_t rows) {
  for (const RowSet& set : sets) {
    require(!set.empty(), "the Wasserstein distance of an empty set: give at least one row");
    for (const std::uint32_t row : set) {
      require(row < rows, "a set asks for row {} of {}", row, rows);
    }
  }
}

}  // namespace

double wasserstein_sorted(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return kUndefined;
  if (x.size() == y.size()) {
    // Four sums side by side: one chain of additions would wait for itself.
    double sums[4] = {};
    for (std::size_t i = 0; i < x.size(); ++i) sums[i % 4] += std::abs(x[i] - y[i]);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<double>(x.size());
  }
  double sum = 0;
  // Unequal sizes: walk along the pooled values and add width times height difference.
  std::size_t i = 0;
  std::size_t j = 0;
  double at = std::min(x[0], y[0]);
  while (i < x.size() || j < y.size()) {
    const bool take_x = j == y.size() || (i < x.size() && x[i] <= y[j]);
    const double next = take_x ? x[i] : y[j];
    const double height = std::abs(static_cast<double>(i) / static_cast<double>(x.size()) -
                                   static_cast<double>(j) / static_cast<double>(y.size()));
    sum += height * (next - at);
    at = next;
    (take_x ? i : j) += 1;
  }
  return sum;
}

Matrix slice_directions(std::size_t count, std::size_t dimension) {
  Matrix directions(count, dimension);
  for (std::size_t row = 0; row < count; ++row) {
    Stream stream(kDirectionSeed, "wasserstein.direction", row);
    double squares = 0;
    for (double& value : directions.row(row)) {
      value = stream.normal();
      squares += value * value;
    }
    for (double& value : directions.row(row)) value /= std::sqrt(squares);
  }
  return directions;
}

double sliced_wasserstein(MatrixView x, MatrixView y, std::size_t slices) {
  require(x.cols == y.cols, "samples with {} and {} columns: both need the same", x.cols, y.cols);
  if (x.rows == 0 || y.rows == 0) return kUndefined;
  require(slices >= 1, "a sliced distance over 0 directions: give at least 1");
  const Matrix directions = slice_directions(slices, x.cols);
  const auto projected = [](MatrixView values, std::span<const double> direction) {
    std::vector<double> result;
    for (std::size_t row = 0; row < values.rows; ++row) {
      const auto source = values.row(row);
      result.push_back(std::inner_product(source.begin(), source.end(), direction.begin(), 0.0));
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  double sum = 0;
  for (std::size_t slice = 0; slice < slices; ++slice) {
    sum += wasserstein_sorted(projected(x, directions.row(slice)),
                              projected(y, directions.row(slice)));
  }
  return sum / static_cast<double>(slices);
}

Matrix sliced_wasserstein_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                                  std::span<const RowSet> y_sets, std::size_t slices) {
  require(x.cols == y.cols, "samples with {} and {} columns: both need the same", x.cols, y.cols);
  check_sets(x_sets, x.rows);
  check_sets(y_sets, y.rows);
  require(slices >= 1, "a sliced distance over 0 directions: give at least 1");
  const Matrix directions = slice_directions(slices, x.cols);
  const Matrix left = project(x, directions);
  const Matrix right = project(y, directions);
  std::vector<Matrix> distances(slices, Matrix(x_sets.size(), y_sets.size()));
  parallel_for(slices, [&](std::size_t slice) {
    const auto sorted_x = sorted_sets(left.row(slice), x_sets);
    const auto sorted_y = sorted_sets(right.row(slice), y_sets);
    for (std::size_t i = 0; i < x_sets.size(); ++i) {
      for (std::size_t j = 0; j < y_sets.size(); ++j) {
        distances[slice](i, j) = wasserstein_sorted(sorted_x[i], sorted_y[j]);
      }
    }
  });
  Matrix result(x_sets.size(), y_sets.size());
  for (const Matrix& distance : distances) {
    for (std::size_t k = 0; k < result.values().size(); ++k) {
      result.values()[k] += distance.values()[k] / static_cast<double>(slices);
    }
  }
  return result;
}

}  // namespace vestige::metrics
