// The tile of dot products: 4 x 8 sums stay in registers while the columns run by (the scheme of
// Goto and van de Geijn 2008).
#include "vestige/metrics/kernels/dot_products.h"

#include <algorithm>
#include <cassert>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::metrics {
namespace {

constexpr std::size_t kPanel = PackedRows::kPanel;

/// Adds to the 8 x 8 block `out` the products of the rows of panels `a` and `b` over `depth`
/// columns. Every sum runs over the columns in order, whatever the vector width.
using MicroKernel = void (*)(const double* a, const double* b, std::size_t depth, double* out,
                             std::size_t stride);

void micro_portable(const double* a, const double* b, std::size_t depth, double* out,
                    std::size_t stride) {
  double sums[kPanel][kPanel] = {};
  for (std::size_t k = 0; k < depth; ++k, a += kPanel, b += kPanel) {
    for (std::size_t i = 0; i < kPanel; ++i) {
      for (std::size_t j = 0; j < kPanel; ++j) sums[i][j] += a[i] * b[j];
    }
  }
  for (std::size_t i = 0; i < kPanel; ++i) {
    for (std::size_t j = 0; j < kPanel; ++j) out[i * stride + j] += sums[i][j];
  }
}

#if defined(__x86_64__)
// Products and sums are not fused (cmake/warnings.cmake turns contraction off): a fused product
// rounds once where the portable path rounds twice.
__attribute__((target("avx2"))) void micro_avx2(const double* a, const double* b, std::size_t depth,
                                                double* out, std::size_t stride) {
  constexpr std::size_t kHalf = kPanel / 2;  // 4 x 8 sums fill the registers
  for (std::size_t half = 0; half < kPanel; half += kHalf) {
    __m256d low[kHalf];
    __m256d high[kHalf];
    for (std::size_t i = 0; i < kHalf; ++i) low[i] = high[i] = _mm256_setzero_pd();
    const double* left = a + half;
    const double* right = b;
    for (std::size_t k = 0; k < depth; ++k, left += kPanel, right += kPanel) {
      const __m256d right_low = _mm256_loadu_pd(right);
      const __m256d right_high = _mm256_loadu_pd(right + kHalf);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kHalf; ++i) {
        const __m256d factor = _mm256_broadcast_sd(left + i);
        low[i] = _mm256_add_pd(low[i], _mm256_mul_pd(factor, right_low));
        high[i] = _mm256_add_pd(high[i], _mm256_mul_pd(factor, right_high));
      }
    }
    for (std::size_t i = 0; i < kHalf; ++i) {
      double* row = out + (half + i) * stride;
      _mm256_storeu_pd(row, _mm256_add_pd(_mm256_loadu_pd(row), low[i]));
      _mm256_storeu_pd(row + kHalf, _mm256_add_pd(_mm256_loadu_pd(row + kHalf), high[i]));
    }
  }
}

__attribute__((target("avx512f"))) void micro_avx512(const double* a, const double* b,
                                                     std::size_t depth, double* out,
                                                     std::size_t stride) {
  __m512d sums[kPanel];
  for (std::size_t i = 0; i < kPanel; ++i) sums[i] = _mm512_setzero_pd();
  for (std::size_t k = 0; k < depth; ++k, a += kPanel, b += kPanel) {
    const __m512d right = _mm512_loadu_pd(b);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kPanel; ++i) {
      sums[i] = _mm512_add_pd(sums[i], _mm512_mul_pd(_mm512_set1_pd(a[i]), right));
    }
  }
  for (std::size_t i = 0; i < kPanel; ++i) {
    double* row = out + i * stride;
    _mm512_storeu_pd(row, _mm512_add_pd(_mm512_loadu_pd(row), sums[i]));
  }
}
#endif

MicroKernel kernel_for(Vectors vectors) {
#if defined(__x86_64__)
  if (vectors == Vectors::avx512 && __builtin_cpu_supports("avx512f")) return micro_avx512;
  if (vectors != Vectors::none && __builtin_cpu_supports("avx2")) return micro_avx2;
#else
  static_cast<void>(vectors);
#endif
  return micro_portable;
}

void tile(MicroKernel kernel, const PackedRows& a, std::size_t a_first, std::size_t a_last,
          const PackedRows& b, std::size_t b_first, std::size_t b_last, double* out,
          std::size_t stride) {
  const std::size_t columns = a.cols();
  for (std::size_t row = 0; row < (a_last - a_first) * kPanel; ++row) {
    std::fill_n(out + row * stride, (b_last - b_first) * kPanel, 0.0);
  }
  for (std::size_t k = 0; k < columns; k += PackedRows::kDepth) {
    const std::size_t depth = std::min(PackedRows::kDepth, columns - k);
    for (std::size_t j = b_first; j < b_last; ++j) {
      const double* right = b.panel(j) + k * kPanel;
      for (std::size_t i = a_first; i < a_last; ++i) {
        const double* left = a.panel(i) + k * kPanel;
        double* block = out + (i - a_first) * kPanel * stride + (j - b_first) * kPanel;
        kernel(left, right, depth, block, stride);
      }
    }
  }
}

}  // namespace

PackedRows::PackedRows(std::size_t rows, std::size_t cols)
    : rows_(rows), cols_(cols), packed_(panels() * kPanel * cols_), squared_norms_(rows_) {}

PackedRows PackedRows::of_columns(MatrixView values, std::span<const double> factors) {
  assert(factors.size() == values.rows);
  PackedRows result(values.cols, values.rows);
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
                       std::span<const double> offset)
    : PackedRows(rows.empty() ? values.rows : rows.size(), values.cols) {
  require(offset.empty() || offset.size() == cols_,
          "{} offsets for {} columns: give one per column", offset.size(), cols_);
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
  tile(kernel_for(vectors), a, a_first, a_last, b, b_first, b_last, out, stride);
}

}  // namespace vestige::metrics
