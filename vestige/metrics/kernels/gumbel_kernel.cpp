// The vector loops of IAM, on the vector types of GCC and Clang, four doubles at a time. Compiled
// twice, for the baseline and for AVX2, and chosen at run time; compiled without contraction of
// a * b + c (-ffp-contract=off), which is what makes the two agree to the last bit.
#include "vestige/metrics/kernels/gumbel_kernel.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#define VESTIGE_HAS_AVX2 1
#else
#define VESTIGE_HAS_AVX2 0
#endif
// Inlined into both versions, so that each gets its own instructions.
#define VESTIGE_INLINE inline __attribute__((always_inline))

namespace vestige::metrics {
namespace {

constexpr std::size_t kLanes = 4;
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));
using Bits = std::uint64_t __attribute__((vector_size(kLanes * sizeof(double))));

VESTIGE_INLINE void load(const double* from, Doubles& to) { std::memcpy(&to, from, sizeof(to)); }
VESTIGE_INLINE void store(const Doubles& from, double* to) { std::memcpy(to, &from, sizeof(from)); }

// exp(x) = 2^n exp(r), r = x - n ln 2 in [-ln 2 / 2, ln 2 / 2]; ln 2 in two parts as in Cody and
// Waite (1980), exp(r) by its Taylor polynomial of degree 13, whose remainder there is below 5e-18.
// A comparison with NaN is false, so NaN passes the cuts and spreads.
VESTIGE_INLINE void exponential(Doubles& x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  const Doubles lowest = Doubles{} - 708.0;
  const Doubles highest = Doubles{} + 709.0;
  x = x < lowest ? lowest : x;
  x = x > highest ? highest : x;
  const Doubles shifted = x * kLog2E + kRound;
  const Doubles n = shifted - kRound;
  const Doubles r = (x - n * kLn2High) - n * kLn2Low;
  Doubles p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
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
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits << 52U) + (std::uint64_t{1023} << 52U);
  Doubles power;
  std::memcpy(&power, &bits, sizeof(power));
  x = p * power;
}

VESTIGE_INLINE void exponentials_loop(const double* values, double* out, std::size_t count) {
  Doubles x;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    load(values + i, x);
    exponential(x);
    store(x, out + i);
  }
  if (i == count) return;
  double rest[kLanes] = {};
  std::copy(values + i, values + count, rest);
  load(rest, x);
  exponential(x);
  store(x, rest);
  std::copy(rest, rest + (count - i), out + i);
}

/// Pointers to four rows.
struct Block {
  const double* target;
  const double* shadow;
  const double* in;
  const double* inverse;
  double* sum;
};

VESTIGE_INLINE void add_levels(const Block& block, std::span<const GumbelLevel> levels) {
  Doubles target, shadow, in, inverse, sum;
  load(block.target, target);
  load(block.shadow, shadow);
  load(block.in, in);
  load(block.inverse, inverse);
  load(block.sum, sum);
  for (const GumbelLevel& level : levels) {
    const Doubles mean = level.shadow_share * shadow + level.in_share * in;
    Doubles x = (mean - target) * (inverse * level.inverse_scale) - kIamEulerGamma;  // -z
    exponential(x);
    x = -x;
    exponential(x);
    sum = sum + level.weight * x;
  }
  store(sum, block.sum);
}

VESTIGE_INLINE void levels_loop(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                                std::span<double> sums) {
  std::size_t i = 0;
  for (; i + kLanes <= sums.size(); i += kLanes) {
    add_levels({rows.target.data() + i, rows.shadow_mean.data() + i, rows.in.data() + i,
                rows.inverse_scale.data() + i, sums.data() + i},
               levels);
  }
  if (i == sums.size()) return;
  double rest[5][kLanes] = {};
  const std::span<const double> sources[5] = {rows.target, rows.shadow_mean, rows.in,
                                              rows.inverse_scale, sums};
  for (std::size_t k = 0; k < 5; ++k) {
    std::copy(sources[k].begin() + static_cast<std::ptrdiff_t>(i), sources[k].end(), rest[k]);
  }
  add_levels({rest[0], rest[1], rest[2], rest[3], rest[4]}, levels);
  std::copy(rest[4], rest[4] + (sums.size() - i), sums.begin() + static_cast<std::ptrdiff_t>(i));
}

void exponentials_baseline(const double* values, double* out, std::size_t count) {
  exponentials_loop(values, out, count);
}
void levels_baseline(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                     std::span<double> sums) {
  levels_loop(rows, levels, sums);
}

#if VESTIGE_HAS_AVX2
__attribute__((target("avx2"))) void exponentials_avx2(const double* values, double* out,
                                                       std::size_t count) {
  exponentials_loop(values, out, count);
}
__attribute__((target("avx2"))) void levels_avx2(const GumbelRows& rows,
                                                 std::span<const GumbelLevel> levels,
                                                 std::span<double> sums) {
  levels_loop(rows, levels, sums);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
constexpr auto* exponentials_avx2 = exponentials_baseline;
constexpr auto* levels_avx2 = levels_baseline;
bool has_avx2() { return false; }
#endif

}  // namespace

void add_gumbel_levels(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                       std::span<double> sums, Instructions instructions) {
  assert(rows.target.size() == sums.size() && rows.shadow_mean.size() == sums.size() &&
         rows.in.size() == sums.size() && rows.inverse_scale.size() == sums.size());
  const bool baseline = instructions == Instructions::baseline || !has_avx2();
  (baseline ? levels_baseline : levels_avx2)(rows, levels, sums);
}

void exponentials(std::span<const double> values, std::span<double> out,
                  Instructions instructions) {
  assert(values.size() == out.size());
  const bool baseline = instructions == Instructions::baseline || !has_avx2();
  (baseline ? exponentials_baseline : exponentials_avx2)(values.data(), out.data(), values.size());
}

}  // namespace vestige::metrics
