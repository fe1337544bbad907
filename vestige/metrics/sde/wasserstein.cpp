// Sliced Wasserstein distances.
#include "vestige/metrics/sde/wasserstein.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/dot_products.h"
#include "vestige/metrics/result.h"
#include "vestige/metrics/sde/sorted_sets.h"

namespace vestige::metrics {
namespace {

constexpr std::uint64_t kDirectionSeed = 1;

constexpr std::size_t kLanes = 4;
/// Sets that are compared with another at once: as many chains of additions, which alone would wait
/// for themselves.
constexpr std::size_t kAtOnce = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using LaneBits = std::uint64_t __attribute__((vector_size(kLanes * sizeof(double))));

/// sums[k] = sum of |x[k]_i - y_i|, each as four sums side by side. Inlined into both versions
/// below, which give the same bytes.
template <std::size_t kSets>
inline __attribute__((always_inline)) void difference_sums(const double* const* x, const double* y,
                                                           std::size_t count, double* sums) {
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63U);
  Lanes totals[kSets] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes right;
    std::memcpy(&right, y + i, sizeof(right));
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kSets; ++k) {
      Lanes left;
      std::memcpy(&left, x[k] + i, sizeof(left));
      const Lanes difference = left - right;
      LaneBits bits;
      std::memcpy(&bits, &difference, sizeof(bits));
      bits &= kMagnitude;
      std::memcpy(&left, &bits, sizeof(left));
      totals[k] += left;
    }
  }
  for (std::size_t k = 0; k < kSets; ++k) {
    for (std::size_t rest = i; rest < count; ++rest) {
      totals[k][rest % kLanes] += std::abs(x[k][rest] - y[rest]);
    }
    sums[k] = (totals[k][0] + totals[k][1]) + (totals[k][2] + totals[k][3]);
  }
}

template <std::size_t kSets>
void difference_sums_baseline(const double* const* x, const double* y, std::size_t count,
                              double* sums) {
  difference_sums<kSets>(x, y, count, sums);
}

#if defined(__x86_64__)
template <std::size_t kSets>
__attribute__((target("avx2"))) void difference_sums_avx2(const double* const* x, const double* y,
                                                          std::size_t count, double* sums) {
  difference_sums<kSets>(x, y, count, sums);
}
#endif

template <std::size_t kSets>
void absolute_differences(const double* const* x, const double* y, std::size_t count,
                          double* sums) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  if (avx2) return difference_sums_avx2<kSets>(x, y, count, sums);
#endif
  difference_sums_baseline<kSets>(x, y, count, sums);
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

/// The sorted sets of one group in one slice.
struct SortedGroup {
  const SetMembers* members;
  std::size_t first;  ///< of the sample's sets
  std::size_t count;
  const double* values;  ///< of the sample's sets

  std::span<const double> set(std::size_t index) const {
    return {values + members->start(first + index), members->size(first + index)};
  }
};

/// Distances of every set of the one group to every set of the other.
void fill_distances(const SortedGroup& left, const SortedGroup& right, Matrix& out) {
  std::size_t i = 0;
  const auto same_size = [&](std::size_t begin, std::span<const double> y) {
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      if (left.set(begin + k).size() != y.size()) return false;
    }
    return true;
  };
  for (; i + kAtOnce <= left.count; i += kAtOnce) {
    for (std::size_t j = 0; j < right.count; ++j) {
      const std::span<const double> y = right.set(j);
      double sums[kAtOnce];
      if (same_size(i, y)) {
        const double* x[kAtOnce];
        for (std::size_t k = 0; k < kAtOnce; ++k) x[k] = left.set(i + k).data();
        absolute_differences<kAtOnce>(x, y.data(), y.size(), sums);
        for (std::size_t k = 0; k < kAtOnce; ++k) {
          out(i + k, j) = sums[k] / static_cast<double>(y.size());
        }
      } else {
        for (std::size_t k = 0; k < kAtOnce; ++k) {
          out(i + k, j) = wasserstein_sorted(left.set(i + k), y);
        }
      }
    }
  }
  for (; i < left.count; ++i) {
    for (std::size_t j = 0; j < right.count; ++j) {
      out(i, j) = wasserstein_sorted(left.set(i), right.set(j));
    }
  }
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

}  // namespace

double wasserstein_sorted(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return kUndefined;
  if (x.size() == y.size()) {
    const double* one = x.data();
    double total = 0;
    absolute_differences<1>(&one, y.data(), x.size(), &total);
    return total / static_cast<double>(x.size());
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

std::vector<Matrix> sliced_wasserstein_of(std::span<const SampleSets> groups,
                                          std::span<const GroupPair> pairs, std::size_t slices) {
  check_groups(groups, 1, "the Wasserstein distance");
  require(slices >= 1, "a sliced distance over 0 directions: give at least 1");
  const Matrix directions = slice_directions(slices, groups.front().values.cols);
  std::vector<ProjectedSample> samples;
  std::vector<GroupPlace> places(groups.size());
  for (const SharedSample& sample : shared_samples(groups)) {
    std::size_t first = 0;
    for (const std::size_t group : sample.groups) {
      places[group] = {samples.size(), first};
      first += groups[group].sets.size();
    }
    samples.push_back({project(sample.values, sample.used.rows, directions),
                       SetMembers(sample.used.sets, sample.used.rows.size())});
  }
  std::vector<std::vector<Matrix>> distances(pairs.size(), std::vector<Matrix>(slices));
  parallel_ranges(slices, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<std::vector<double>> sorted;
    for (const ProjectedSample& sample : samples) sorted.emplace_back(sample.members.size());
    std::vector<std::uint64_t> keys;
    const auto group_of = [&](std::size_t group) -> SortedGroup {
      const GroupPlace& place = places[group];
      return {&samples[place.sample].members, place.first, groups[group].sets.size(),
              sorted[place.sample].data()};
    };
    for (std::size_t slice = begin; slice < end; ++slice) {
      for (std::size_t k = 0; k < samples.size(); ++k) {
        samples[k].members.sort(samples[k].values.row(slice), keys, sorted[k]);
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
