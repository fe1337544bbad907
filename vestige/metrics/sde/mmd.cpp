// MMD by sums of kernel values over sets.
#include "vestige/metrics/sde/mmd.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/lanes.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRowsAtOnce = 8 * PackedRows::kPanel;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

double count(std::size_t n) { return static_cast<double>(n); }

/// sums[row] = sum of the members' values in each of eight rows that lie side by side,
/// values[column * kEight + row]; each as four sums. The bytes do not depend on the vector width.
struct MemberSums {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const double* values, const std::uint32_t* members,
                                 std::size_t size, double* sums) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    const auto add = [](Doubles & sum, const Doubles& other) __attribute__((always_inline)) {
      sum += other;
    };
    Eight<kWidth> parts[4], column;
    for (Eight<kWidth>& part : parts) part.fill(0);
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        column.load(values + members[i + k] * kEight);
        parts[k].each(add, column);
      }
    }
    for (; i < size; ++i) {
      column.load(values + members[i] * kEight);
      parts[i % 4].each(add, column);
    }
    parts[0].each(add, parts[1]);
    parts[2].each(add, parts[3]);
    parts[0].each(add, parts[2]);
    parts[0].store(sums);
  }
};

/// sums(row, s) = sum over the rows y of set s of k(x_row, y), for every row of x.
Matrix set_sums(const PackedRows& x, const PackedRows& y, std::span<const RowSet> y_sets,
                double sigma) {
  Matrix sums(x.rows(), y_sets.size());
  parallel_for((x.rows() + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block) {
    const std::size_t first = block * kRowsAtOnce;
    const std::size_t last = std::min(first + kRowsAtOnce, x.rows());
    const std::size_t size = (last - first) * y.rows();
    const auto kernel = std::make_unique_for_overwrite<double[]>(size);
    rbf_rows(x, first, last, y, y.rows(), sigma, {kernel.get(), size});
    // A member's values in several rows are read at once.
    const auto aside = std::make_unique_for_overwrite<double[]>(kEight * y.rows());
    for (std::size_t row = first; row < last; row += kEight) {
      const std::size_t rows = std::min(kEight, last - row);
      const double* values[kEight];
      for (std::size_t k = 0; k < kEight; ++k) {
        // What stands in the place of a row that there is not is never looked at.
        values[k] = kernel.get() + (row - first + std::min(k, rows - 1)) * y.rows();
      }
      for (std::size_t i = 0; i < y.rows(); ++i) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kEight; ++k) aside[i * kEight + k] = values[k][i];
      }
      for (std::size_t set = 0; set < y_sets.size(); ++set) {
        double found[kEight];
        run_widest<MemberSums>(Instructions::best, aside.get(), y_sets[set].data(),
                               y_sets[set].size(), &found[0]);
        for (std::size_t k = 0; k < rows; ++k) sums(row + k, set) = found[k];
      }
    }
  });
  return sums;
}

/// Mean kernel value inside each set, without the diagonal. The kernel is symmetric: only pairs
/// with a smaller row are summed, and those only where the row is in the set.
std::vector<double> within(const PackedRows& x, std::span<const RowSet> sets, double sigma) {
  const std::size_t blocks = (x.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
  std::vector<RowSet> ascending(sets.begin(), sets.end());
  for (RowSet& set : ascending) std::sort(set.begin(), set.end());
  Matrix totals(blocks, sets.size());
  parallel_for(blocks, [&](std::size_t block) {
    const std::size_t first = block * kRowsAtOnce;
    const std::size_t last = std::min(first + kRowsAtOnce, x.rows());
    const std::size_t size = (last - first) * last;
    const auto kernel = std::make_unique_for_overwrite<double[]>(size);
    rbf_rows(x, first, last, x, last, sigma, {kernel.get(), size});
    for (std::size_t set = 0; set < ascending.size(); ++set) {
      const RowSet& rows = ascending[set];
      auto at = static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), first) -
                                         rows.begin());
      for (; at < rows.size() && rows[at] < last; ++at) {
        const double* values = kernel.get() + (rows[at] - first) * last;
        double parts[4] = {};
        for (std::size_t i = 0; i < at; ++i) parts[i % 4] += values[rows[i]];
        totals(block, set) += (parts[0] + parts[1]) + (parts[2] + parts[3]);
      }
    }
  });
  std::vector<double> means(sets.size());
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t set = 0; set < sets.size(); ++set) means[set] += totals(block, set);
  }
  for (std::size_t set = 0; set < sets.size(); ++set) {
    means[set] *= 2 / (count(sets[set].size()) * (count(sets[set].size()) - 1));
  }
  return means;
}

/// Mean kernel value inside each set of each group.
std::vector<std::vector<double>> within_groups(std::span<const SampleSets> groups,
                                               std::span<const double> offset, double sigma) {
  std::vector<std::vector<double>> result(groups.size());
  for (const SharedSample& sample : shared_samples(groups)) {
    const std::vector<double> means =
        within(PackedRows(sample.values, sample.used.rows, offset, Products::fused),
               sample.used.sets, sigma);
    auto next = means.begin();
    for (const std::size_t group : sample.groups) {
      const auto last = next + static_cast<std::ptrdiff_t>(groups[group].sets.size());
      result[group].assign(next, last);
      next = last;
    }
  }
  return result;
}

}  // namespace

double mmd_squared(MatrixView x, MatrixView y, double sigma) {
  require(x.cols == y.cols, "samples with {} and {} columns: both need the same", x.cols, y.cols);
  require(sigma > 0 && std::isfinite(sigma), "sigma is {}: give a finite number above 0", sigma);
  if (x.rows < 2 || y.rows < 2) return kUndefined;
  const double factor = -0.5 / (sigma * sigma);
  const auto mean_kernel = [factor](MatrixView a, MatrixView b, bool same) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t j = 0; j < b.rows; ++j) {
        if (!same || i != j) sum += std::exp(factor * squared_distance(a.row(i), b.row(j)));
      }
    }
    return sum / (count(a.rows) * (count(b.rows) - (same ? 1 : 0)));
  };
  return mean_kernel(x, x, true) + mean_kernel(y, y, true) - 2 * mean_kernel(x, y, false);
}

std::vector<Matrix> mmd_squared_of(std::span<const SampleSets> groups,
                                   std::span<const GroupPair> pairs, double sigma) {
  check_groups(groups, 2, "MMD");
  const std::vector<double> offset = column_means(groups.front().values);
  const std::vector<std::vector<double>> inside = within_groups(groups, offset, sigma);
  std::vector<UsedRows> used;
  std::vector<PackedRows> packed;
  for (const SampleSets& group : groups) {
    used.emplace_back(group.sets, group.values.rows);
    packed.emplace_back(group.values, used.back().rows, offset, Products::fused);
  }
  std::vector<Matrix> results;
  for (const auto& [left, right] : pairs) {
    const Matrix across = set_sums(packed[left], packed[right], used[right].sets, sigma);
    Matrix result(used[left].sets.size(), used[right].sets.size());
    for (std::size_t i = 0; i < result.rows(); ++i) {
      const RowSet& rows = used[left].sets[i];
      const auto sums = result.row(i);
      for (const std::uint32_t row : rows) {
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += across(row, j);
      }
      for (std::size_t j = 0; j < sums.size(); ++j) {
        sums[j] = inside[left][i] + inside[right][j] -
                  2 * sums[j] / (count(rows.size()) * count(used[right].sets[j].size()));
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

Matrix mmd_squared_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                           std::span<const RowSet> y_sets, double sigma) {
  const SampleSets groups[] = {{x, x_sets}, {y, y_sets}};
  const GroupPair pair{0, 1};
  return std::move(mmd_squared_of(groups, {&pair, 1}, sigma).front());
}

}  // namespace vestige::metrics
