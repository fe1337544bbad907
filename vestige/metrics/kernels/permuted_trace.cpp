// Gathers are slow, so there are none here. With q the inverse of p,
//   sum_ij A_ij B_p(i)p(j) = sum_ic B_p(i)c A_q(c)i   (A symmetric),
// and a tile of 8 positions i by 104 columns c needs 8 contiguous pieces of rows p(i) of B and 104
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

// A panel of A (8 columns) stays in the first-level cache and a panel of B (104 columns) in the
// second while all permutations pass. Measured on Emerald Rapids: of 20 to 128 columns and 8 or 16
// positions, 104 and 8 are within a few per cent of the best at 200, 500 and 1,000 rows.
constexpr std::size_t kPositions = 8;
constexpr std::size_t kColumns = 104;
/// Floats from one row of a panel of B to the next: whole lines of the cache.
constexpr std::size_t kStride = 112;
constexpr std::size_t kSums = 4;  // double sums per permutation, added at the end

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
  std::vector<Line> lines;  ///< kept by a thread from matrix to matrix; may be longer than needed

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

void make_panels(MatrixView matrix, const Centring& centring, std::size_t width, std::size_t stride,
                 Panels& panels) {
  panels.rows = matrix.rows;
  panels.stride = stride;
  panels.count = (matrix.rows + width - 1) / width;
  panels.scale = 0;
  panels.diagonal.clear();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    panels.diagonal.push_back(matrix(i, i) - (centring.means[i] - centring.grand) -
                              centring.means[i]);
    // The largest entry of a positive semi-definite matrix lies on its diagonal.
    panels.scale = std::max(panels.scale, std::abs(panels.diagonal[i]));
  }
  if (panels.scale == 0) return;
  constexpr std::size_t kPerLine = std::size(Line{}.values);
  const std::size_t lines = (panels.count * panels.rows * stride + kPerLine - 1) / kPerLine;
  if (panels.lines.size() < lines) panels.lines.resize(lines);
  const double factor = 1 / panels.scale;
  float* values = panels.lines.front().values;
  std::vector<float> whole(panels.rows);
  for (std::size_t row = 0; row < panels.rows; ++row) {
    run_widest<PanelRow>(Instructions::best, matrix.row(row).data(), centring.means.data(),
                         centring.means[row] - centring.grand, factor, panels.rows, whole.data());
    whole[row] = 0;
    for (std::size_t index = 0; index < panels.count; ++index) {
      const std::size_t first = index * width;
      const std::size_t used = std::min(width, panels.rows - first);
      float* target = values + (index * panels.rows + row) * stride;
      std::fill(std::copy_n(whole.data() + first, used, target), target + width, 0.0F);
    }
  }
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
  // Where the first permutation has a row's place; the next has it kColumns further.
  std::vector<std::size_t> places(permutations.size);
  for (std::size_t row = 0; row < places.size(); ++row) {
    places[row] = offsets.inverse_at(row / kColumns, 0) + row % kColumns;
  }
  for (std::size_t t = 0; t < offsets.count; ++t) {
    const auto permutation = permutations.at(t);
    for (std::size_t i = 0; i < permutation.size(); ++i) {
      const std::size_t image = permutation[i];
      offsets.forward[offsets.forward_at(i / kPositions, t) + i % kPositions] =
          static_cast<std::uint32_t>(image * kStride);
      offsets.inverse[places[image] + t * kColumns] = static_cast<std::uint32_t>(i * kPositions);
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
      float& sum = lanes[column % 4][lane];
      sum = std::fma(pair.b[forward[lane] + column], left[lane], sum);
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
__attribute__((target("avx2,fma"), always_inline)) inline void tile_avx2(
    const float* a, const float* b, const std::uint32_t* forward, const std::uint32_t* inverse,
    std::size_t columns, double* sums) {
  __m256 lanes[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                     _mm256_setzero_ps()};
  const float* rows[kPositions];
  for (std::size_t k = 0; k < kPositions; ++k) rows[k] = b + forward[k];
  for (std::size_t column = 0; column < columns; column += 4) {
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
      lanes[k] = _mm256_fmadd_ps(transposed[k], left, lanes[k]);
    }
  }
  const __m256 folded =
      _mm256_add_ps(_mm256_add_ps(lanes[0], lanes[1]), _mm256_add_ps(lanes[2], lanes[3]));
  const __m256d halves = _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(folded)),
                                       _mm256_cvtps_pd(_mm256_extractf128_ps(folded, 1)));
  _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), halves));
}

__attribute__((target("avx2,fma"))) void tiles_avx2(const PanelPair& pair, double* sums) {
  for (std::size_t t = 0; t < pair.permutations; ++t) {
    tile_avx2(pair.a, pair.b, pair.forward + t * kPositions, pair.inverse + t * kColumns,
              pair.columns, sums + t * kSums);
  }
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
  if (vectors != Vectors::none && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return tiles_avx2;
  }
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
  // Kept from call to call: memory that is given back would be cleared by the system and again by
  // us. Nothing below waits for other threads, so no other call can begin in between.
  thread_local Panels left, right;
  make_panels(a, a_means, kPositions, kPositions, left);
  make_panels(b, b_means, kColumns, kStride, right);
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
              .columns = columns},
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
