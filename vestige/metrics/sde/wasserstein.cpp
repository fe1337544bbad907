// Sliced Wasserstein distances.
#include "vestige/metrics/sde/wasserstein.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/dot_products.h"
#include "vestige/metrics/result.h"
#include "vestige/metrics/sde/sorted_distances.h"
#include "vestige/metrics/sde/sorted_sets.h"

namespace vestige::metrics {
namespace {

constexpr std::uint64_t kDirectionSeed = 1;

/// The picked rows less `offset` on all directions, [directions, rows].
Matrix project(MatrixView values, std::span<const std::uint32_t> picked,
               std::span<const double> offset, const Matrix& directions) {
  require(values.cols == directions.cols(), "samples with {} and {} columns: both need the same",
          values.cols, directions.cols());
  const PackedRows rows(values, picked, offset, Products::fused);
  const PackedRows axes(directions, {}, {}, Products::fused);
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

/// A sample on all directions, and who holds its rows.
struct ProjectedSample {
  Matrix values;  ///< [directions, rows]
  SetMembers members;
};

/// The sets of a group among those of its sample.
struct GroupPlace {
  std::size_t sample = 0;
  std::size_t first = 0;
};

/// Whether every row of every sample is the same: a model that collapsed.
bool all_alike(std::span<const SampleSets> groups) {
  const auto first = groups.front().values.row(0);
  for (const SampleSets& group : groups) {
    for (std::size_t row = 0; row < group.values.rows; ++row) {
      if (!std::ranges::equal(first, group.values.row(row))) return false;
    }
  }
  return true;
}

}  // namespace

double wasserstein_sorted(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return kUndefined;
  double sum = 0;
  if (x.size() == y.size()) {
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(x[i] - y[i]);
    return sum / static_cast<double>(x.size());
  }
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

std::vector<Matrix> sliced_wasserstein_of(std::span<const SampleSets> groups,
                                          std::span<const GroupPair> pairs, std::size_t slices) {
  check_groups(groups, 1, "the Wasserstein distance");
  require(slices >= 1, "a sliced distance over 0 directions: give at least 1");
  if (all_alike(groups)) {
    std::vector<Matrix> zeros;
    for (const auto& [left, right] : pairs) {
      zeros.emplace_back(groups[left].sets.size(), groups[right].sets.size());
    }
    return zeros;
  }
  const Matrix directions = slice_directions(slices, groups.front().values.cols);
  // Distances of samples that are moved alike are the same; sums of values stay small.
  const std::vector<double> offset = column_means(groups.front().values);
  std::vector<ProjectedSample> samples;
  std::vector<GroupPlace> places(groups.size());
  for (const SharedSample& sample : shared_samples(groups)) {
    std::size_t first = 0;
    for (const std::size_t group : sample.groups) {
      places[group] = {samples.size(), first};
      first += groups[group].sets.size();
    }
    samples.push_back({project(sample.values, sample.used.rows, offset, directions),
                       SetMembers(sample.used.sets, sample.used.rows.size())});
  }
  std::vector<std::vector<Matrix>> distances(pairs.size(), std::vector<Matrix>(slices));
  parallel_ranges(slices, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<SortedSets> sorted;
    for (const ProjectedSample& sample : samples) sorted.emplace_back(sample.members);
    SortRoom room;
    const auto group_of = [&](std::size_t group) -> SortedGroup {
      const GroupPlace& place = places[group];
      return {&sorted[place.sample], place.first, groups[group].sets.size()};
    };
    for (std::size_t slice = begin; slice < end; ++slice) {
      for (std::size_t k = 0; k < samples.size(); ++k) {
        sorted[k].sort(samples[k].values.row(slice), room);
      }
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const SortedGroup left = group_of(pairs[k].left), right = group_of(pairs[k].right);
        distances[k][slice] = Matrix(left.count, right.count);
        fill_distances(left, right, distances[k][slice]);
      }
    }
  });
  std::vector<Matrix> results;
  for (const std::vector<Matrix>& by_slice : distances) {
    Matrix result(by_slice.front().rows(), by_slice.front().cols());
    for (const Matrix& distance : by_slice) {
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
  const SampleSets groups[] = {{x, x_sets}, {y, y_sets}};
  const GroupPair pair{0, 1};
  return std::move(sliced_wasserstein_of(groups, {&pair, 1}, slices).front());
}

}  // namespace vestige::metrics
