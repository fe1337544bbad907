// Packed rows, and tiles of their products made of 8 x 8 blocks.
#include "vestige/metrics/kernels/dot_products.h"

#include <algorithm>
#include <cassert>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/micro_kernels.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kPanel = PackedRows::kPanel;

void tile(const MicroKernels& kernels, const PackedRows& a, std::size_t a_first, std::size_t a_last,
          const PackedRows& b, std::size_t b_first, std::size_t b_last, double* out,
          std::size_t stride) {
  const std::size_t columns = a.cols();
  if (columns == 0) {
    for (std::size_t row = 0; row < (a_last - a_first) * kPanel; ++row) {
      std::fill_n(out + row * stride, (b_last - b_first) * kPanel, 0.0);
    }
  }
  for (std::size_t k = 0; k < columns; k += PackedRows::kDepth) {
    const std::size_t depth = std::min(PackedRows::kDepth, columns - k);
    for (std::size_t j = b_first; j < b_last;) {
      const std::size_t panels = kernels.two != nullptr && j + 1 < b_last ? 2 : 1;
      const MicroKernel kernel = panels == 2 ? kernels.two : kernels.one;
      for (std::size_t i = a_first; i < a_last; ++i) {
        double* block = out + (i - a_first) * kPanel * stride + (j - b_first) * kPanel;
        kernel({.a = a.panel(i) + k * kPanel,
                .b = b.panel(j) + k * kPanel,
                .b_next = panels == 2 ? b.panel(j + 1) + k * kPanel : nullptr,
                .depth = depth,
                .out = block,
                .stride = stride,
                .add = k > 0});
      }
      j += panels;
    }
  }
}

}  // namespace

PackedRows::PackedRows(std::size_t rows, std::size_t cols, Products products)
    : rows_(rows),
      cols_(cols),
      products_(products),
      packed_(panels() * kPanel * cols_),
      squared_norms_(rows_) {}

PackedRows PackedRows::of_columns(MatrixView values, std::span<const double> factors) {
  assert(factors.size() == values.rows);
  PackedRows result(values.cols, values.rows, Products::rounded);
  for (std::size_t first = 0; first < values.cols; first += kPanel) {
    const std::size_t count = std::min(kPanel, values.cols - first);
    double* target = result.packed_.data() + first * values.rows;
    for (std::size_t row = 0; row < values.rows; ++row, target += kPanel) {
      const auto source = values.row(row).subspan(first, count);
      for (std::size_t k = 0; k < count; ++k) {
        target[k] = factors[row] * source[k];
        result.squared_norms_[first + k] += target[k] * target[k];
      }
    }
  }
  return result;
}

PackedRows::PackedRows(MatrixView values, std::span<const std::uint32_t> rows,
                       std::span<const double> offset, Products products)
    : PackedRows(rows.empty() ? values.rows : rows.size(), values.cols, products) {
  require(offset.empty() || offset.size() == cols_,
          "{} offsets for {} columns: give one per column", offset.size(), cols_);
  if (cols_ == 0) return;  // nothing to pack, and no memory to point into
  parallel_ranges(rows_, 4 * kPanel, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const auto source = values.row(rows.empty() ? row : rows[row]);
      double* target = packed_.data() + row / kPanel * kPanel * cols_ + row % kPanel;
      double total = 0;
      double block = 0;
      for (std::size_t col = 0; col < cols_; ++col) {
        const double value = offset.empty() ? source[col] : source[col] - offset[col];
        target[col * kPanel] = value;
        block += value * value;
        if ((col + 1) % kDepth == 0 || col + 1 == cols_) {
          total += block;
          block = 0;
        }
      }
      squared_norms_[row] = total;
    }
  });
  if (products == Products::rounded) return;
  // The diagonal of a panel's products with itself: fused as they are, on every processor.
  parallel_for(panels(), [&](std::size_t index) {
    double block[kPanel * kPanel];
    dot_tile(*this, index, index + 1, *this, index, index + 1, block, kPanel);
    for (std::size_t i = 0; i < std::min(kPanel, rows_ - index * kPanel); ++i) {
      squared_norms_[index * kPanel + i] = block[i * kPanel + i];
    }
  });
}

std::vector<double> column_means(MatrixView values, std::span<const std::uint32_t> rows) {
  const std::size_t count = rows.empty() ? values.rows : rows.size();
  std::vector<double> means(values.cols);
  for (std::size_t row = 0; row < count; ++row) {
    const auto source = values.row(rows.empty() ? row : rows[row]);
    for (std::size_t col = 0; col < values.cols; ++col) means[col] += source[col];
  }
  for (double& mean : means) mean /= static_cast<double>(std::max<std::size_t>(count, 1));
  return means;
}

void dot_tile(const PackedRows& a, std::size_t a_first, std::size_t a_last, const PackedRows& b,
              std::size_t b_first, std::size_t b_last, double* out, std::size_t stride,
              Vectors vectors) {
  assert(a.cols() == b.cols() && a.products() == b.products());
  tile(micro_kernels(a.products(), vectors), a, a_first, a_last, b, b_first, b_last, out, stride);
}

}  // namespace vestige::metrics
