// Sliced Wasserstein distances.
#include "vestige/metrics/sde/wasserstein.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/dot_products.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {
namespace {

constexpr std::uint64_t kDirectionSeed = 1;

/// sum of |x_i - y_i|, as four sums side by side: one chain of additions would wait for itself.
/// Inlined into both versions below, which give the same bytes.
inline __attribute__((always_inline)) double difference_sum(const double* x, const double* y,
                                                            std::size_t count) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += std::abs(x[i + lane] - y[i + lane]);
  }
  for (; i < count; ++i) sums[i % 4] += std::abs(x[i] - y[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double difference_sum_baseline(const double* x, const double* y, std::size_t count) {
  return difference_sum(x, y, count);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) double difference_sum_avx2(const double* x, const double* y,
                                                           std::size_t count) {
  return difference_sum(x, y, count);
}
#endif

double absolute_differences(const double* x, const double* y, std::size_t count) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  if (avx2) return difference_sum_avx2(x, y, count);
#endif
  return difference_sum_baseline(x, y, count);
}

/// The picked rows on all directions, [directions, rows].
Matrix project(MatrixView values, std::span<const std::uint32_t> picked, const Matrix& directions) {
  require(values.cols == directions.cols(), "samples with {} and {} columns: both need the same",
          values.cols, directions.cols());
  const PackedRows rows(values, picked, {});
  const PackedRows axes(directions, {}, {});
  Matrix result(directions.rows(), picked.size());
  parallel_for(axes.panels(), [&](std::size_t axis) {
    std::vector<double> tile(PackedRows::kPanel * rows.panels() * PackedRows::kPanel);
    const std::size_t stride = rows.panels() * PackedRows::kPanel;
    dot_tile(axes, axis, axis + 1, rows, 0, rows.panels(), tile.data(), stride);
    for (std::size_t i = 0; i < PackedRows::kPanel; ++i) {
      const std::size_t direction = axis * PackedRows::kPanel + i;
      if (direction >= directions.rows()) break;
      std::copy_n(tile.data() + i * stride, picked.size(), result.row(direction).begin());
    }
  });
  return result;
}

/// Which sets hold each row: those of row r are sets[first[r]] to sets[first[r + 1]].
struct Members {
  std::vector<std::size_t> sizes;  ///< rows of each set
  std::vector<std::size_t> first;  ///< [rows + 1]
  std::vector<std::uint32_t> sets;
};

Members members_of(std::span<const RowSet> sets, std::size_t rows) {
  // A row that a set names twice is in it once.
  std::vector<std::vector<std::uint8_t>> named(sets.size(), std::vector<std::uint8_t>(rows));
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const std::uint32_t row : sets[set]) named[set][row] = 1;
  }
  Members result{std::vector<std::size_t>(sets.size()), {}, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    result.first.push_back(result.sets.size());
    for (std::size_t set = 0; set < sets.size(); ++set) {
      if (named[set][row] == 0) continue;
      result.sets.push_back(static_cast<std::uint32_t>(set));
      ++result.sizes[set];
    }
  }
  result.first.push_back(result.sets.size());
  return result;
}

/// The values of each set in ascending order, from one sort of all values.
std::vector<std::vector<double>> sorted_sets(std::span<const double> values,
                                             const Members& members) {
  struct Place {
    double value;
    std::uint32_t row;
  };
  std::vector<Place> order(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    order[row] = {values[row], static_cast<std::uint32_t>(row)};
  }
  // Rows of equal value are the same to the distance: their order does not matter.
  std::sort(order.begin(), order.end(),
            [](const Place& a, const Place& b) { return a.value < b.value; });
  std::vector<std::vector<double>> result;
  std::vector<double*> ends;
  for (const std::size_t size : members.sizes) ends.push_back(result.emplace_back(size).data());
  for (const Place& next : order) {
    const std::size_t last = members.first[next.row + 1];
    for (std::size_t at = members.first[next.row]; at < last; ++at) {
      *ends[members.sets[at]]++ = next.value;
    }
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
    return absolute_differences(x.data(), y.data(), x.size()) / static_cast<double>(x.size());
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

std::vector<Matrix> sliced_wasserstein_to(MatrixView x, std::span<const RowSet> x_sets,
                                          std::span<const ReferenceSets> references,
                                          std::size_t slices) {
  check_sets(x_sets, x.rows);
  for (const ReferenceSets& reference : references) {
    require(x.cols == reference.values.cols, "samples with {} and {} columns: both need the same",
            x.cols, reference.values.cols);
    check_sets(reference.sets, reference.values.rows);
  }
  require(slices >= 1, "a sliced distance over 0 directions: give at least 1");
  const Matrix directions = slice_directions(slices, x.cols);
  const UsedRows used(x_sets, x.rows);
  const Matrix left = project(x, used.rows, directions);
  const Members members = members_of(used.sets, used.rows.size());
  std::vector<Matrix> right;
  std::vector<Members> right_members;
  for (const ReferenceSets& reference : references) {
    const UsedRows compared(reference.sets, reference.values.rows);
    right.push_back(project(reference.values, compared.rows, directions));
    right_members.push_back(members_of(compared.sets, compared.rows.size()));
  }
  std::vector<std::vector<Matrix>> distances(references.size(), std::vector<Matrix>(slices));
  parallel_for(slices, [&](std::size_t slice) {
    const auto sorted_x = sorted_sets(left.row(slice), members);
    for (std::size_t k = 0; k < references.size(); ++k) {
      const auto sorted_y = sorted_sets(right[k].row(slice), right_members[k]);
      Matrix& distance = distances[k][slice];
      distance = Matrix(sorted_x.size(), sorted_y.size());
      for (std::size_t i = 0; i < sorted_x.size(); ++i) {
        for (std::size_t j = 0; j < sorted_y.size(); ++j) {
          distance(i, j) = wasserstein_sorted(sorted_x[i], sorted_y[j]);
        }
      }
    }
  });
  std::vector<Matrix> results;
  for (std::size_t k = 0; k < references.size(); ++k) {
    Matrix result(x_sets.size(), references[k].sets.size());
    for (const Matrix& distance : distances[k]) {
      for (std::size_t i = 0; i < result.values().size(); ++i) {
        result.values()[i] += distance.values()[i] / static_cast<double>(slices);
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

Matrix sliced_wasserstein_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                                  std::span<const RowSet> y_sets, std::size_t slices) {
  const ReferenceSets reference{y, y_sets};
  return std::move(sliced_wasserstein_to(x, x_sets, {&reference, 1}, slices).front());
}

}  // namespace vestige::metrics
