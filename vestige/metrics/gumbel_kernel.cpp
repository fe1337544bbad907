// The vector loops of IAM. This file is compiled without contraction of a * b + c
// (-ffp-contract=off), which is what makes the two instruction sets agree to the last bit.
#include "vestige/metrics/gumbel_kernel.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define VESTIGE_HAS_AVX2 1
#define VESTIGE_INLINE inline __attribute__((always_inline))
#else
#define VESTIGE_HAS_AVX2 0
#define VESTIGE_INLINE inline
#endif

namespace vestige::metrics {
namespace {

// Rows whose five arrays stay in the first-level cache while the levels pass over them.
constexpr std::size_t kBlock = 256;

// exp(x) = 2^n exp(r), r = x - n ln 2 in [-ln 2 / 2, ln 2 / 2]; ln 2 in two parts as in Cody and
// Waite (1980), exp(r) by its Taylor polynomial of degree 13, whose remainder there is below 5e-18.
VESTIGE_INLINE double exponential(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  x = x < -708.0 ? -708.0 : x;
  x = x > 709.0 ? 709.0 : x;
  const double shifted = x * kLog2E + kRound;
  const double n = shifted - kRound;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The low bits of `shifted` hold n; moved into the exponent field they make 2^n.
  const std::uint64_t bits =
      (std::bit_cast<std::uint64_t>(shifted) << 52U) + (std::uint64_t{1023} << 52U);
  return p * std::bit_cast<double>(bits);
}

VESTIGE_INLINE void exponentials_loop(const double* values, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = exponential(values[i]);
}

VESTIGE_INLINE void levels_loop(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                                double* sums, std::size_t first, std::size_t count) {
  const double* __restrict target = rows.target.data() + first;
  const double* __restrict shadow = rows.shadow_mean.data() + first;
  const double* __restrict in = rows.in.data() + first;
  const double* __restrict inverse = rows.inverse_scale.data() + first;
  double* __restrict sum = sums + first;
  for (const GumbelLevel level : levels) {
    for (std::size_t i = 0; i < count; ++i) {
      const double mean = level.shadow_share * shadow[i] + level.in_share * in[i];
      const double z = (target[i] - mean) * (inverse[i] * level.inverse_scale) + kIamEulerGamma;
      sum[i] += level.weight * exponential(-exponential(-z));
    }
  }
}

void exponentials_baseline(const double* values, double* out, std::size_t count) {
  exponentials_loop(values, out, count);
}
void levels_baseline(const GumbelRows& rows, std::span<const GumbelLevel> levels, double* sums,
                     std::size_t first, std::size_t count) {
  levels_loop(rows, levels, sums, first, count);
}

#if VESTIGE_HAS_AVX2
__attribute__((target("avx2"))) void exponentials_avx2(const double* values, double* out,
                                                       std::size_t count) {
  exponentials_loop(values, out, count);
}
__attribute__((target("avx2"))) void levels_avx2(const GumbelRows& rows,
                                                 std::span<const GumbelLevel> levels, double* sums,
                                                 std::size_t first, std::size_t count) {
  levels_loop(rows, levels, sums, first, count);
}
bool use_avx2(Instructions instructions) {
  return instructions == Instructions::best && __builtin_cpu_supports("avx2") != 0;
}
#endif

}  // namespace

void add_gumbel_levels(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                       std::span<double> sums, Instructions instructions) {
  assert(rows.target.size() == sums.size() && rows.shadow_mean.size() == sums.size() &&
         rows.in.size() == sums.size() && rows.inverse_scale.size() == sums.size());
  auto* run = levels_baseline;
#if VESTIGE_HAS_AVX2
  if (use_avx2(instructions)) run = levels_avx2;
#else
  static_cast<void>(instructions);
#endif
  for (std::size_t first = 0; first < sums.size(); first += kBlock) {
    run(rows, levels, sums.data(), first, std::min(kBlock, sums.size() - first));
  }
}

void exponentials(std::span<const double> values, std::span<double> out,
                  Instructions instructions) {
  assert(values.size() == out.size());
  auto* run = exponentials_baseline;
#if VESTIGE_HAS_AVX2
  if (use_avx2(instructions)) run = exponentials_avx2;
#else
  static_cast<void>(instructions);
#endif
  run(values.data(), out.data(), values.size());
}

}  // namespace vestige::metrics
