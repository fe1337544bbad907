// MMD by sums of kernel values over sets.
#include "vestige/metrics/sde/mmd.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/base/error.h"
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

/// sums(row, s) = sum over the rows y of set s of k(x_row, y), for every row of x.
Matrix set_sums(const PackedRows& x, const PackedRows& y, std::span<const RowSet> y_sets,
                double sigma) {
  Matrix sums(x.rows(), y_sets.size());
  parallel_for((x.rows() + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block) {
    const std::size_t first = block * kRowsAtOnce;
    const std::size_t last = std::min(first + kRowsAtOnce, x.rows());
    std::vector<double> kernel((last - first) * y.rows());
    rbf_rows(x, first, last, y, y.rows(), sigma, kernel);
    for (std::size_t row = first; row < last; ++row) {
      const double* values = kernel.data() + (row - first) * y.rows();
      for (std::size_t set = 0; set < y_sets.size(); ++set) {
        double parts[4] = {};
        const RowSet& others = y_sets[set];
        for (std::size_t i = 0; i < others.size(); ++i) parts[i % 4] += values[others[i]];
        sums(row, set) = (parts[0] + parts[1]) + (parts[2] + parts[3]);
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
    std::vector<double> kernel((last - first) * last);
    rbf_rows(x, first, last, x, last, sigma, kernel);
    for (std::size_t set = 0; set < ascending.size(); ++set) {
      const RowSet& rows = ascending[set];
      auto at = static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), first) -
                                         rows.begin());
      for (; at < rows.size() && rows[at] < last; ++at) {
        const double* values = kernel.data() + (rows[at] - first) * last;
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

void check(std::span<const RowSet> sets, std::size_t rows) {
  for (const RowSet& set : sets) {
    require(set.size() >= 2, "MMD of a set of {} rows: give at least 2", set.size());
    for (const std::uint32_t row : set) {
      require(row < rows, "a set asks for row {} of {}", row, rows);
    }
  }
}

}  // namespace

UsedRows::UsedRows(std::span<const RowSet> of, std::size_t sample_rows)
    : sets(of.begin(), of.end()) {
  std::vector<std::uint32_t> place(sample_rows);
  for (const RowSet& set : sets) {
    for (const std::uint32_t row : set) place[row] = 1;
  }
  for (std::uint32_t row = 0; row < sample_rows; ++row) {
    if (place[row] == 0) continue;
    place[row] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
  }
  for (RowSet& set : sets) {
    for (std::uint32_t& row : set) row = place[row];
  }
}

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

std::vector<Matrix> mmd_squared_to(MatrixView x, std::span<const RowSet> x_sets,
                                   std::span<const ReferenceSets> references, double sigma) {
  check(x_sets, x.rows);
  for (const ReferenceSets& reference : references) {
    require(x.cols == reference.values.cols, "samples with {} and {} columns: both need the same",
            x.cols, reference.values.cols);
    check(reference.sets, reference.values.rows);
  }
  const std::vector<double> offset = column_means(x);
  const UsedRows used(x_sets, x.rows);
  const PackedRows left(x, used.rows, offset);
  const std::vector<double> inside_x = within(left, used.sets, sigma);
  std::vector<Matrix> results;
  for (const ReferenceSets& reference : references) {
    const UsedRows compared(reference.sets, reference.values.rows);
    const PackedRows right(reference.values, compared.rows, offset);
    const std::vector<double> inside_y = within(right, compared.sets, sigma);
    const Matrix across = set_sums(left, right, compared.sets, sigma);
    Matrix result(x_sets.size(), reference.sets.size());
    for (std::size_t i = 0; i < x_sets.size(); ++i) {
      for (std::size_t j = 0; j < reference.sets.size(); ++j) {
        double sum = 0;
        for (const std::uint32_t row : used.sets[i]) sum += across(row, j);
        result(i, j) = inside_x[i] + inside_y[j] -
                       2 * sum / (count(x_sets[i].size()) * count(reference.sets[j].size()));
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

Matrix mmd_squared_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                           std::span<const RowSet> y_sets, double sigma) {
  const ReferenceSets reference{y, y_sets};
  return std::move(mmd_squared_to(x, x_sets, {&reference, 1}, sigma).front());
}

}  // namespace vestige::metrics
