// Gathers are slow, so there are none here. Of sum_ic B_p(i)c A_q(c)i (trace_sums.h), a tile of 8
// positions i by 104 columns c needs 8 contiguous pieces of rows p(i) of B and 104 contiguous
// pieces of rows q(c) of A; small blocks of B are transposed in registers. B is a lower triangle:
// its zeros are multiplied too, because which columns they are in differs among the 8 rows.
#include "vestige/metrics/kernels/permuted_trace.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "vestige/base/platform/processor.h"
#include "vestige/metrics/kernels/trace_sums.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::metrics {
namespace {

// A panel of A (8 columns) stays in the first-level cache and a panel of B (104 columns) in the
// second while all permutations pass. Measured on Emerald Rapids: of 20 to 128 columns and 8 or 16
// positions, 104 and 8 are within a few per cent of the best at 200, 500 and 1,000 rows.
constexpr std::size_t kPositions = 8;
constexpr std::size_t kColumns = kTraceColumns;
/// Floats from one row of a panel of B to the next: whole lines of the cache.
constexpr std::size_t kStride = 112;
constexpr std::size_t kSums = kTraceSums;  // double sums per permutation, added at the end
static_assert(kSums == kPositions);

struct alignas(64) Line {
  float values[16];
};

/// A centred matrix cut into panels of `width` columns; panel b, row r starts at
/// (b * rows + r) * stride. Columns beyond the last are zeros, and so is the diagonal.
struct Panels {
  std::size_t rows = 0;
  std::size_t stride = 0;
  std::size_t count = 0;
  std::vector<Line> lines;  ///< kept by a thread from matrix to matrix; may be longer than needed

  const float* panel(std::size_t index) const {
    return reinterpret_cast<const float*>(lines.data()) + index * rows * stride;
  }
};

/// `lower`: of every row only what is left of the diagonal, zeros in the place of the rest.
void make_panels(const CentredFloats& matrix, bool lower, std::size_t width, std::size_t stride,
                 Panels& panels) {
  panels.rows = matrix.rows;
  panels.stride = stride;
  panels.count = (matrix.rows + width - 1) / width;
  constexpr std::size_t kPerLine = std::size(Line{}.values);
  const std::size_t lines = (panels.count * panels.rows * stride + kPerLine - 1) / kPerLine;
  if (panels.lines.size() < lines) panels.lines.resize(lines);
  float* values = panels.lines.front().values;
  for (std::size_t row = 0; row < panels.rows; ++row) {
    const std::size_t end = lower ? row : panels.rows;
    for (std::size_t index = 0; index < panels.count; ++index) {
      const std::size_t first = std::min(index * width, end);
      const std::size_t used = std::min(width, end - first);
      float* target = values + (index * panels.rows + row) * stride;
      std::fill(std::copy_n(matrix.row(row) + first, used, target), target + width, 0.0F);
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
  for (std::size_t lane = 0; lane < kPositions; ++lane) {
    sums[lane] +=
        static_cast<double>((lanes[0][lane] + lanes[1][lane]) + (lanes[2][lane] + lanes[3][lane]));
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
  const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(folded));
  const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(folded, 1));
  _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), low));
  _mm256_storeu_pd(sums + 4, _mm256_add_pd(_mm256_loadu_pd(sums + 4), high));
}

__attribute__((target("avx2,fma"))) void tiles_avx2(const PanelPair& pair, double* sums) {
  for (std::size_t t = 0; t < pair.permutations; ++t) {
    tile_avx2(pair.a, pair.b, pair.forward + t * kPositions, pair.inverse + t * kColumns,
              pair.columns, sums + t * kSums);
  }
}
#endif

TilesKernel tiles_kernel_for(Vectors vectors) {
#if defined(__x86_64__)
  if (traces_in_vectors(vectors)) return tiles_avx2;
#else
  static_cast<void>(vectors);
#endif
  return tiles_portable;
}

}  // namespace

bool traces_in_vectors(Vectors vectors) {
  return vectors != Vectors::none && platform::processor().avx2;
}

std::vector<double> diagonal_traces(std::span<const double> left, std::span<const double> right,
                                    const Permutations& permutations) {
  constexpr std::size_t kAtOnce = 8;  // one chain of additions would wait for itself
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
        sum += a_means.entry(a(i, j), i, j) *
               b_means.entry(b(image, permutation[j]), image, permutation[j]);
      }
      result[t] += sum;
    }
  }
  return result;
}

std::vector<double> permuted_traces(MatrixView a, const Centring& a_means, MatrixView b,
                                    const Centring& b_means, const Permutations& permutations,
                                    Vectors vectors) {
  // Kept from call to call: memory that is given back would be cleared by the system and again by
  // us. Nothing below waits for other threads, so no other call can begin in between.
  thread_local CentredFloats left, right;
  centre(a, a_means, left);
  centre(b, b_means, right);
  return permuted_traces(left, right, permutations, vectors);
}

std::vector<double> permuted_traces(const CentredFloats& a, const CentredFloats& b,
                                    const Permutations& permutations, Vectors vectors) {
  assert(a.rows == b.rows && permutations.size == a.rows);
  std::vector<double> result(permutations.count());
  if (a.scale == 0 || b.scale == 0) return result;
  thread_local Panels left, right;
  make_panels(a, false, kPositions, kPositions, left);
  make_panels(b, true, kColumns, kStride, right);
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
  result = diagonal_traces(a.diagonal, b.diagonal, permutations);
  for (std::size_t t = 0; t < result.size(); ++t) {
    result[t] = trace_of(result[t], sums.data() + t * kSums, 1, a.scale * b.scale);
  }
  return result;
}

}  // namespace vestige::metrics
