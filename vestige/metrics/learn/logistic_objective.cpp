// One pass over the rows: predictors, losses and gradient of a few rows at a time, while they are
// in the first-level cache. Compiled for the baseline and for AVX2, without contraction, so that
// both give the same bytes.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "vestige/base/platform/processor.h"
#include "vestige/metrics/learn/logistic_near.h"

// Inlined into both versions, so that each gets its own instructions.
#define VESTIGE_INLINE inline __attribute__((always_inline))

namespace vestige::metrics {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kAtOnce = 4;  // rows whose sums run side by side
constexpr std::size_t kBlock = 16;  // rows whose losses are taken together
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));

VESTIGE_INLINE void load(const double* from, Doubles& to) { std::memcpy(&to, from, sizeof(to)); }
VESTIGE_INLINE void store(const Doubles& from, double* to) { std::memcpy(to, &from, sizeof(from)); }

/// Log-odds of four rows.
VESTIGE_INLINE void predictors_of(const double* const* rows, const double* weights,
                                  std::size_t cols, double* out) {
  Doubles sums[kAtOnce] = {};
  std::size_t col = 0;
  for (; col + kLanes <= cols; col += kLanes) {
    Doubles factor, value;
    load(weights + col, factor);
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kAtOnce; ++row) {
      load(rows[row] + col, value);
      sums[row] += factor * value;
    }
  }
  for (std::size_t row = 0; row < kAtOnce; ++row) {
    double rest = weights[cols];
    for (std::size_t last = col; last < cols; ++last) rest += weights[last] * rows[row][last];
    out[row] = ((sums[row][0] + sums[row][1]) + (sums[row][2] + sums[row][3])) + rest;
  }
}

/// Adds slope times row for four rows.
VESTIGE_INLINE void add_gradient(const double* const* rows, const double* slopes, std::size_t cols,
                                 double* gradient) {
  std::size_t col = 0;
  for (; col + kLanes <= cols; col += kLanes) {
    Doubles sum, values[kAtOnce];
    load(gradient + col, sum);
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kAtOnce; ++row) load(rows[row] + col, values[row]);
    sum += (slopes[0] * values[0] + slopes[1] * values[1]) +
           (slopes[2] * values[2] + slopes[3] * values[3]);
    store(sum, gradient + col);
  }
  for (; col < cols; ++col) {
    gradient[col] += (slopes[0] * rows[0][col] + slopes[1] * rows[1][col]) +
                     (slopes[2] * rows[2][col] + slopes[3] * rows[3][col]);
  }
  gradient[cols] += (slopes[0] + slopes[1]) + (slopes[2] + slopes[3]);
}

/// Losses of a block from its log-odds, which become the slopes. The last rows of an unfilled block
/// have sign 0: no loss and no slope.
VESTIGE_INLINE double losses(double* values, const double* signs, Instructions instructions) {
  double small[kBlock];
  for (std::size_t i = 0; i < kBlock; ++i) {
    values[i] *= signs[i];
    small[i] = -std::abs(values[i]);
  }
  exponentials(small, small, instructions);
  double hinge = 0;
  double product = 1;  // at most 2^16: one logarithm for all rows
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (signs[i] == 0) {
      values[i] = 0;
      continue;
    }
    hinge += std::max(0.0, -values[i]);
    product *= 1 + small[i];
    values[i] = -signs[i] * ((values[i] >= 0 ? small[i] : 1) / (1 + small[i]));
  }
  return hinge + std::log(product);
}

VESTIGE_INLINE double pass(std::span<const double* const> rows, std::span<const double> signs,
                           std::span<const double> weights, std::span<double> gradient,
                           Instructions instructions) {
  const std::size_t cols = weights.size() - 1;
  double total = 0;
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const double* block[kBlock];
    double block_signs[kBlock] = {};
    double values[kBlock];
    const std::size_t count = std::min(kBlock, rows.size() - first);
    for (std::size_t i = 0; i < kBlock; ++i) block[i] = rows[first + std::min(i, count - 1)];
    for (std::size_t i = 0; i < count; ++i) block_signs[i] = signs[first + i];
    for (std::size_t i = 0; i < kBlock; i += kAtOnce) {
      predictors_of(block + i, weights.data(), cols, values + i);
    }
    total += losses(values, block_signs, instructions);
    for (std::size_t i = 0; i < kBlock; i += kAtOnce) {
      add_gradient(block + i, values + i, cols, gradient.data());
    }
  }
  return total;
}

double pass_baseline(std::span<const double* const> rows, std::span<const double> signs,
                     std::span<const double> weights, std::span<double> gradient) {
  return pass(rows, signs, weights, gradient, Instructions::baseline);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) double pass_avx2(std::span<const double* const> rows,
                                                 std::span<const double> signs,
                                                 std::span<const double> weights,
                                                 std::span<double> gradient) {
  return pass(rows, signs, weights, gradient, Instructions::best);
}
#else
constexpr auto* pass_avx2 = pass_baseline;
#endif

}  // namespace

double logistic_objective(std::span<const double* const> rows, std::span<const double> signs,
                          std::span<const double> weights, std::span<double> gradient,
                          Instructions instructions) {
  assert(rows.size() == signs.size() && weights.size() == gradient.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const bool baseline = instructions == Instructions::baseline || !platform::processor().avx2;
  double objective = (baseline ? pass_baseline : pass_avx2)(rows, signs, weights, gradient);
  double squares = 0;
  for (std::size_t col = 0; col + 1 < weights.size(); ++col) {
    gradient[col] += weights[col];
    squares += weights[col] * weights[col];
  }
  return objective + squares / 2;
}

}  // namespace vestige::metrics
