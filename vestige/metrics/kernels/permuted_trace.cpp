// Gathers are slow, so there are none here. With q the inverse of p,
//   sum_ij A_ij B_p(i)p(j) = sum_ic B_p(i)c A_q(c)i   (A symmetric),
// and a tile of 8 positions i by 64 columns c needs 8 contiguous pieces of rows p(i) of B and 64
// contiguous pieces of rows q(c) of A; small blocks of B are transposed in registers.
#include "vestige/metrics/kernels/permuted_trace.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "vestige/base/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::metrics {
namespace {

// Measured on Zen 4: 8 x 64 is the fastest of 8..32 x 32..256; a panel of A (8 columns) stays in
// the first-level cache and a panel of B (64 columns) in the second while all permutations pass.
constexpr std::size_t kPositions = 8;
constexpr std::size_t kColumns = 64;
/// Floats from one row of a panel of B to the next. With 64, pieces of all rows would lie in the
/// same banks of the first-level cache, which gives one of them at a time (measured: a tenth
/// faster).
constexpr std::size_t kStride = 80;
constexpr std::size_t kSums = 4;  // double sums per permutation, added at the end
/// From so many rows on, pieces of B are asked for one permutation ahead: a panel then fills most
/// of the second-level cache (measured: a tenth faster at 1,000 rows, slower at 500).
constexpr std::size_t kAskAhead = 768;

struct alignas(64) Line {
  float values[16];
};

/// A centred matrix cut into panels of `width` columns; panel b, row r starts at
/// (b * rows + r) * stride. Columns beyond the last are zeros, and so is the diagonal: it meets
/// only the other diagonal, carries most of the trace, and is kept in double.
struct Panels {
  std::size_t rows = 0;
  std::size_t stride = 0;
  std::size_t count = 0;
  double scale = 0;  ///< entries were divided by this; 0 for a matrix of zeros
  std::vector<double> diagonal;
  std::vector<Line> lines;

  const float* panel(std::size_t index) const {
    return reinterpret_cast<const float*>(lines.data()) + index * rows * stride;
  }
};

/// Centred entries times `factor` as floats; vectors make no difference to the bytes.
struct PanelRow {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const double* source, const double* means, double shift,
                                 double factor, std::size_t count, float* target) {
    for (std::size_t col = 0; col < count; ++col) {
      target[col] = static_cast<float>((source[col] - shift - means[col]) * factor);
    }
  }
};

Panels make_panels(MatrixView matrix, const Centring& centring, std::size_t width,
                   std::size_t stride) {
  Panels panels;
  panels.rows = matrix.rows;
  panels.stride = stride;
  panels.count = (matrix.rows + width - 1) / width;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    panels.diagonal.push_back(matrix(i, i) - (centring.means[i] - centring.grand) -
                              centring.means[i]);
    // The largest entry of a positive semi-definite matrix lies on its diagonal.
    panels.scale = std::max(panels.scale, std::abs(panels.diagonal[i]));
  }
  if (panels.scale == 0) return panels;
  constexpr std::size_t kPerLine = std::size(Line{}.values);
  panels.lines.resize((panels.count * panels.rows * stride + kPerLine - 1) / kPerLine);
  const double factor = 1 / panels.scale;
  float* values = panels.lines.front().values;
  std::vector<float> whole(panels.rows);
  for (std::size_t row = 0; row < panels.rows; ++row) {
    run_widest<PanelRow>(Instructions::best, matrix.row(row).data(), centring.means.data(),
                         centring.means[row] - centring.grand, factor, panels.rows, whole.data());
    whole[row] = 0;
    for (std::size_t index = 0; index < panels.count; ++index) {
      const std::size_t first = index * width;
      std::copy_n(whole.data() + first, std::min(width, panels.rows - first),
                  values + (index * panels.rows + row) * stride);
    }
  }
  return panels;
}

/// Where row p(i) begins inside a panel of B (forward) and row q(c) inside a panel of A (inverse).
/// Positions and columns beyond the last row meet zeros in the other matrix, so any row will do.
struct Offsets {
  std::size_t count = 0;
  std::vector<std::uint32_t> forward;  ///< [panel of A][permutation][kPositions]
  std::vector<std::uint32_t> inverse;  ///< [panel of B][permutation][kColumns]

  std::size_t forward_at(std::size_t panel, std::size_t permutation) const {
    return (panel * count + permutation) * kPositions;
  }
  std::size_t inverse_at(std::size_t panel, std::size_t permutation) const {
    return (panel * count + permutation) * kColumns;
  }
};

Offsets make_offsets(const Permutations& permutations, std::size_t a_panels, std::size_t b_panels) {
  Offsets offsets;
  offsets.count = permutations.count();
  offsets.forward.resize(a_panels * offsets.count * kPositions);
  offsets.inverse.resize(b_panels * offsets.count * kColumns);
  for (std::size_t t = 0; t < offsets.count; ++t) {
    const auto permutation = permutations.at(t);
    for (std::size_t i = 0; i < permutation.size(); ++i) {
      const std::size_t image = permutation[i];
      offsets.forward[offsets.forward_at(i / kPositions, t) + i % kPositions] =
          static_cast<std::uint32_t>(image * kStride);
      offsets.inverse[offsets.inverse_at(image / kColumns, t) + image % kColumns] =
          static_cast<std::uint32_t>(i * kPositions);
    }
  }
  return offsets;
}

/// Two panels and where the permutations find their rows.
struct PanelPair {
  const float* a;
  const float* b;
  const std::uint32_t* forward;  ///< [permutation][kPositions]
  const std::uint32_t* inverse;  ///< [permutation][kColumns]
  std::size_t permutations;
  std::size_t columns;  ///< a multiple of four; may leave out columns of zeros
  bool ask_ahead;
};

/// Adds the products of the tile of each permutation to its sums, [permutation][kSums].
using TilesKernel = void (*)(const PanelPair& pair, double* sums);

// The additions are those of the vector path, lane by lane.
void tile_portable(const PanelPair& pair, const std::uint32_t* forward,
                   const std::uint32_t* inverse, double* sums) {
  float lanes[4][kPositions] = {};
  for (std::size_t column = 0; column < pair.columns; ++column) {
    const float* left = pair.a + inverse[column];
    for (std::size_t lane = 0; lane < kPositions; ++lane) {
      lanes[column % 4][lane] += pair.b[forward[lane] + column] * left[lane];
    }
  }
  float folded[kPositions];
  for (std::size_t lane = 0; lane < kPositions; ++lane) {
    folded[lane] = (lanes[0][lane] + lanes[1][lane]) + (lanes[2][lane] + lanes[3][lane]);
  }
  for (std::size_t sum = 0; sum < kSums; ++sum) {
    sums[sum] += static_cast<double>(folded[sum]) + static_cast<double>(folded[sum + kSums]);
  }
}

void tiles_portable(const PanelPair& pair, double* sums) {
  for (std::size_t t = 0; t < pair.permutations; ++t) {
    tile_portable(pair, pair.forward + t * kPositions, pair.inverse + t * kColumns,
                  sums + t * kSums);
  }
}

#if defined(__x86_64__)
/// `next`: the rows of the following permutation, which are asked for while these are added.
template <bool kAhead>
__attribute__((target("avx2"), always_inline)) inline void tile_avx2(
    const float* a, const float* b, const std::uint32_t* forward, const std::uint32_t* inverse,
    const std::uint32_t* next, std::size_t columns, double* sums) {
  __m256 lanes[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                     _mm256_setzero_ps()};
  const float* rows[kPositions];
  for (std::size_t k = 0; k < kPositions; ++k) rows[k] = b + forward[k];
  for (std::size_t column = 0; column < columns; column += 4) {
    if constexpr (kAhead) {
      // Two lines of a row: with 64 columns and 8 rows that is all of the next tile.
      const auto* soon =
          reinterpret_cast<const char*>(b + next[column / kPositions] + column % kPositions * 8);
      _mm_prefetch(soon, _MM_HINT_T0);
      _mm_prefetch(soon + sizeof(Line), _MM_HINT_T0);
    }
    // Rows 0..3 in the lower half, 4..7 in the upper half: two 4 x 4 transpositions at once.
    __m256 row[4];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      row[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[k] + column)),
                                    _mm_loadu_ps(rows[k + 4] + column), 1);
    }
    const __m256 low01 = _mm256_unpacklo_ps(row[0], row[1]);
    const __m256 high01 = _mm256_unpackhi_ps(row[0], row[1]);
    const __m256 low23 = _mm256_unpacklo_ps(row[2], row[3]);
    const __m256 high23 = _mm256_unpackhi_ps(row[2], row[3]);
    const __m256 transposed[4] = {
        _mm256_shuffle_ps(low01, low23, 0x44), _mm256_shuffle_ps(low01, low23, 0xEE),
        _mm256_shuffle_ps(high01, high23, 0x44), _mm256_shuffle_ps(high01, high23, 0xEE)};
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      const __m256 left = _mm256_loadu_ps(a + inverse[column + k]);
      lanes[k] = _mm256_add_ps(lanes[k], _mm256_mul_ps(transposed[k], left));
    }
  }
  const __m256 folded =
      _mm256_add_ps(_mm256_add_ps(lanes[0], lanes[1]), _mm256_add_ps(lanes[2], lanes[3]));
  const __m256d halves = _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(folded)),
                                       _mm256_cvtps_pd(_mm256_extractf128_ps(folded, 1)));
  _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), halves));
}

template <bool kAhead>
__attribute__((target("avx2"), always_inline)) inline void all_tiles_avx2(const PanelPair& pair,
                                                                          double* sums) {
  for (std::size_t t = 0; t < pair.permutations; ++t) {
    const std::uint32_t* forward = pair.forward + t * kPositions;
    tile_avx2<kAhead>(pair.a, pair.b, forward, pair.inverse + t * kColumns,
                      t + 1 < pair.permutations ? forward + kPositions : forward, pair.columns,
                      sums + t * kSums);
  }
}

__attribute__((target("avx2"))) void tiles_avx2(const PanelPair& pair, double* sums) {
  pair.ask_ahead ? all_tiles_avx2<true>(pair, sums) : all_tiles_avx2<false>(pair, sums);
}
#endif

/// sum_i left[i] right[p(i)] of each permutation. Several at once: one chain of additions would
/// wait for itself.
std::vector<double> diagonal_traces(std::span<const double> left, std::span<const double> right,
                                    const Permutations& permutations) {
  constexpr std::size_t kAtOnce = 8;
  std::vector<double> traces(permutations.count());
  std::size_t t = 0;
  for (; t + kAtOnce <= traces.size(); t += kAtOnce) {
    double sums[kAtOnce] = {};
    const std::uint32_t* images = permutations.at(t).data();
    for (std::size_t i = 0; i < left.size(); ++i) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < kAtOnce; ++k) {
        sums[k] += left[i] * right[images[k * left.size() + i]];
      }
    }
    std::copy_n(sums, kAtOnce, traces.begin() + static_cast<std::ptrdiff_t>(t));
  }
  for (; t < traces.size(); ++t) {
    const auto permutation = permutations.at(t);
    for (std::size_t i = 0; i < left.size(); ++i) traces[t] += left[i] * right[permutation[i]];
  }
  return traces;
}

TilesKernel tiles_kernel_for(Vectors vectors) {
#if defined(__x86_64__)
  if (vectors != Vectors::none && __builtin_cpu_supports("avx2")) return tiles_avx2;
#else
  static_cast<void>(vectors);
#endif
  return tiles_portable;
}

}  // namespace

Centring centring(MatrixView matrix) {
  Centring result;
  const auto n = static_cast<double>(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    // Four sums side by side: one chain of additions would wait for itself.
    double sums[4] = {};
    const auto values = matrix.row(row);
    std::size_t col = 0;
    for (; col + 4 <= values.size(); col += 4) {
#pragma GCC unroll 4
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += values[col + lane];
    }
    for (; col < values.size(); ++col) sums[col % 4] += values[col];
    result.means.push_back(((sums[0] + sums[1]) + (sums[2] + sums[3])) / n);
  }
  result.grand = std::accumulate(result.means.begin(), result.means.end(), 0.0) / n;
  return result;
}

std::vector<double> permuted_traces_plain(MatrixView a, MatrixView b,
                                          const Permutations& permutations) {
  const Centring a_means = centring(a);
  const Centring b_means = centring(b);
  std::vector<double> result(permutations.count());
  for (std::size_t t = 0; t < result.size(); ++t) {
    const auto permutation = permutations.at(t);
    for (std::size_t i = 0; i < a.rows; ++i) {
      const std::size_t image = permutation[i];
      double sum = 0;
      for (std::size_t j = 0; j < a.rows; ++j) {
        const double left = a(i, j) - (a_means.means[i] - a_means.grand) - a_means.means[j];
        const double right = b(image, permutation[j]) - (b_means.means[image] - b_means.grand) -
                             b_means.means[permutation[j]];
        sum += left * right;
      }
      result[t] += sum;
    }
  }
  return result;
}

std::vector<double> permuted_traces(MatrixView a, const Centring& a_means, MatrixView b,
                                    const Centring& b_means, const Permutations& permutations,
                                    Vectors vectors) {
  assert(a.rows == a.cols && b.rows == b.cols && a.rows == b.rows);
  assert(permutations.size == a.rows);
  std::vector<double> result(permutations.count());
  const Panels left = make_panels(a, a_means, kPositions, kPositions);
  const Panels right = make_panels(b, b_means, kColumns, kStride);
  if (left.scale == 0 || right.scale == 0) return result;
  const TilesKernel kernel = tiles_kernel_for(vectors);
  const Offsets offsets = make_offsets(permutations, left.count, right.count);
  std::vector<double> sums(result.size() * kSums);
  for (std::size_t i = 0; i < left.count; ++i) {
    for (std::size_t c = 0; c < right.count; ++c) {
      const std::size_t columns = std::min(kColumns, (a.rows - c * kColumns + 3) / 4 * 4);
      kernel({.a = left.panel(i),
              .b = right.panel(c),
              .forward = offsets.forward.data() + offsets.forward_at(i, 0),
              .inverse = offsets.inverse.data() + offsets.inverse_at(c, 0),
              .permutations = result.size(),
              .columns = columns,
              .ask_ahead = a.rows >= kAskAhead},
             sums.data());
    }
  }
  const std::vector<double> diagonals =
      diagonal_traces(left.diagonal, right.diagonal, permutations);
  for (std::size_t t = 0; t < result.size(); ++t) {
    const double* sum = sums.data() + t * kSums;
    result[t] = diagonals[t] + ((sum[0] + sum[1]) + (sum[2] + sum[3])) * left.scale * right.scale;
  }
  return result;
}

}  // namespace vestige::metrics
