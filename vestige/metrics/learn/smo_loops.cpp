// Each loop is compiled for the baseline and for wider registers, and chosen at run time; no
// product is fused with a sum where that could show, so that all agree to the last bit.
#include "vestige/metrics/learn/smo_loops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "vestige/base/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define VESTIGE_INLINE_LOOP inline __attribute__((always_inline))

namespace vestige::metrics {
namespace {

constexpr std::size_t kSmoLanes = 4;
constexpr std::size_t kPowersAtOnce = 256;
constexpr double kNever = -std::numeric_limits<double>::infinity();
/// LIBSVM's TAU: the curvature of two equal rows.
constexpr double kSmallestCurvature = 1e-12;
using SmoDoubles = double __attribute__((vector_size(kSmoLanes * sizeof(double))));
using SmoFloats = float __attribute__((vector_size(kSmoLanes * sizeof(float))));

VESTIGE_INLINE_LOOP void load_lanes(const double* from, SmoDoubles& to) {
  std::memcpy(&to, from, sizeof(to));
}
VESTIGE_INLINE_LOOP void load_lanes(const float* from, SmoDoubles& to) {
  SmoFloats lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  to = __builtin_convertvector(lanes, SmoDoubles);
}

/// The best value of each lane and its place, kept as a double; a later equal value replaces it.
struct LaneBest {
  SmoDoubles value = SmoDoubles{} + kNever;
  SmoDoubles place = SmoDoubles{} - 1.0;
};

VESTIGE_INLINE_LOOP void keep_best(LaneBest& best, const SmoDoubles& value,
                                   const SmoDoubles& place) {
  const auto better = value >= best.value;
  best.value = better ? value : best.value;
  best.place = better ? place : best.place;
}

VESTIGE_INLINE_LOOP SmoChoice choose(const LaneBest& best) {
  SmoChoice choice{false, 0, kNever};
  double place = -1;
  for (std::size_t lane = 0; lane < kSmoLanes; ++lane) {
    const double value = best.value[lane];
    if (value > choice.value || (value == choice.value && best.place[lane] > place)) {
      choice.value = value;
      place = best.place[lane];
    }
  }
  choice.found = choice.value > kNever;
  choice.index = choice.found ? static_cast<std::size_t>(place) : 0;
  return choice;
}

constexpr SmoDoubles kFirstPlaces = {0, 1, 2, 3};

VESTIGE_INLINE_LOOP SmoChoice violation_loop(const double* slope, const double* up,
                                             std::size_t count) {
  LaneBest best;
  SmoDoubles place = kFirstPlaces, f, offset;
  std::size_t t = 0;
  for (; t + kSmoLanes <= count; t += kSmoLanes, place += 4.0) {
    load_lanes(slope + t, f);
    load_lanes(up + t, offset);
    keep_best(best, offset - f, place);
  }
  SmoChoice choice = choose(best);
  for (; t < count; ++t) {
    const double value = up[t] - slope[t];
    if (value > kNever && value >= choice.value) choice = {true, t, value};
  }
  return choice;
}

VESTIGE_INLINE_LOOP SmoPartner partner_loop(const double* slope, const double* low,
                                            const float* kernel, double violation,
                                            std::size_t count) {
  const SmoDoubles smallest = SmoDoubles{} + kSmallestCurvature;
  const SmoDoubles never = SmoDoubles{} + kNever;
  LaneBest best;
  SmoDoubles largest = never;
  SmoDoubles place = kFirstPlaces, f, offset, k;
  std::size_t t = 0;
  for (; t + kSmoLanes <= count; t += kSmoLanes, place += 4.0) {
    load_lanes(slope + t, f);
    load_lanes(low + t, offset);
    load_lanes(kernel + t, k);
    f += offset;
    largest = f > largest ? f : largest;
    const SmoDoubles difference = violation + f;
    const SmoDoubles flat = 2.0 - 2.0 * k;
    const SmoDoubles curvature = flat > 0.0 ? flat : smallest;
    const SmoDoubles gain = difference * difference / curvature;
    keep_best(best, difference > 0.0 ? gain : never, place);
  }
  SmoPartner result{choose(best), kNever};
  for (std::size_t lane = 0; lane < kSmoLanes; ++lane) {
    result.largest_low = std::max(result.largest_low, largest[lane]);
  }
  for (; t < count; ++t) {
    const double value = slope[t] + low[t];
    result.largest_low = std::max(result.largest_low, value);
    const double difference = violation + value;
    if (!(difference > 0)) continue;
    const double flat = 2.0 - 2.0 * static_cast<double>(kernel[t]);
    const double gain = difference * difference / (flat > 0 ? flat : kSmallestCurvature);
    if (gain >= result.choice.value) result.choice = {true, t, gain};
  }
  return result;
}

VESTIGE_INLINE_LOOP void two_rows_loop(const float* first, double by_first, const float* second,
                                       double by_second, double* slope, std::size_t count) {
  for (std::size_t t = 0; t < count; ++t) {
    slope[t] +=
        static_cast<double>(first[t]) * by_first + static_cast<double>(second[t]) * by_second;
  }
}

VESTIGE_INLINE_LOOP void one_row_loop(const float* row, double by, double* target,
                                      std::size_t count) {
  for (std::size_t t = 0; t < count; ++t) target[t] += static_cast<double>(row[t]) * by;
}

/// Rounds to float in both directions; false where a value within `slack` of one of them, as a
/// share, would round to another float.
VESTIGE_INLINE_LOOP bool rounding_loop(const double* values, float* lower, float* upper,
                                       std::size_t count) {
  constexpr double kSlack = 1e-15;  // over twice the error of `exponentials` and of std::exp
  int unsure = 0;
  for (std::size_t t = 0; t < count; ++t) {
    lower[t] = static_cast<float>(values[t] * (1 - kSlack));
    upper[t] = static_cast<float>(values[t] * (1 + kSlack));
    unsure |= lower[t] != upper[t] ? 1 : 0;
  }
  return unsure == 0;
}

bool bounds_baseline(const double* values, float* lower, float* upper, std::size_t count) {
  assert(count <= kPowersAtOnce);
  double powers[kPowersAtOnce];
  exponentials({values, count}, {powers, count}, Instructions::baseline);
  return rounding_loop(powers, lower, upper, count);
}

#if defined(__x86_64__)
constexpr double kTaylorSlack = 1e-12;
constexpr double kTaylor[] = {
    1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
    1.0 / 24,      1.0 / 6,      0.5,         1,          1};
constexpr double kNearestWhole = 6755399441055744.0;  // 1.5 * 2^52
constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;
constexpr double kLowestPower = -708, kHighestPower = 709;

/// The same with fewer terms: exp(r) by its Taylor polynomial of degree 10, whose remainder on
/// [-ln 2 / 2, ln 2 / 2] is below 3e-13. Fused steps may be used, because what leaves here is the
/// correctly rounded float or a doubt.
__attribute__((target("avx2,fma"))) bool bounds_fma(const double* values, float* lower,
                                                    float* upper, std::size_t count) {
  const __m256d round = _mm256_set1_pd(kNearestWhole);
  const __m256d log2e = _mm256_set1_pd(kLog2E), ln2 = _mm256_set1_pd(-kLn2);
  const __m256d lowest = _mm256_set1_pd(kLowestPower), highest = _mm256_set1_pd(kHighestPower);
  const __m256d below = _mm256_set1_pd(1 - kTaylorSlack), above = _mm256_set1_pd(1 + kTaylorSlack);
  const __m256i bias = _mm256_set1_epi64x(std::int64_t{1023} << 52);
  __m128 doubt = _mm_setzero_ps();
  std::size_t t = 0;
  for (; t + kSmoLanes <= count; t += kSmoLanes) {
    const __m256d x = _mm256_min_pd(_mm256_max_pd(_mm256_loadu_pd(values + t), lowest), highest);
    const __m256d shifted = _mm256_fmadd_pd(x, log2e, round);
    const __m256d r = _mm256_fmadd_pd(_mm256_sub_pd(shifted, round), ln2, x);
    __m256d p = _mm256_set1_pd(kTaylor[0]);
#pragma GCC unroll 10
    for (std::size_t k = 1; k < std::size(kTaylor); ++k) {
      p = _mm256_fmadd_pd(p, r, _mm256_set1_pd(kTaylor[k]));
    }
    // The low bits of `shifted` hold n; moved into the exponent field they make 2^n.
    const __m256i power =
        _mm256_add_epi64(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 52), bias);
    p = _mm256_mul_pd(p, _mm256_castsi256_pd(power));
    const __m128 low = _mm256_cvtpd_ps(_mm256_mul_pd(p, below));
    const __m128 high = _mm256_cvtpd_ps(_mm256_mul_pd(p, above));
    _mm_storeu_ps(lower + t, low);
    _mm_storeu_ps(upper + t, high);
    doubt = _mm_or_ps(doubt, _mm_cmpneq_ps(low, high));
  }
  const bool sure = t == count || bounds_baseline(values + t, lower + t, upper + t, count - t);
  return sure && _mm_movemask_ps(doubt) == 0;
}

/// The same, eight at a time.
__attribute__((target("avx512f,avx512dq"))) bool bounds_avx512(const double* values, float* lower,
                                                               float* upper, std::size_t count) {
  // With a mask of all, because GCC 12 warns of its own headers without one.
  constexpr __mmask8 kAll = 0xff;
  const __m512d round = _mm512_set1_pd(kNearestWhole);
  const __m512d log2e = _mm512_set1_pd(kLog2E), ln2 = _mm512_set1_pd(-kLn2);
  const __m512d lowest = _mm512_set1_pd(kLowestPower), highest = _mm512_set1_pd(kHighestPower);
  const __m512d below = _mm512_set1_pd(1 - kTaylorSlack), above = _mm512_set1_pd(1 + kTaylorSlack);
  const __m512i bias = _mm512_set1_epi64(std::int64_t{1023} << 52);
  std::uint32_t doubt = 0;
  std::size_t t = 0;
  for (; t + 2 * kSmoLanes <= count; t += 2 * kSmoLanes) {
    const __m512d x = _mm512_maskz_min_pd(
        kAll, _mm512_maskz_max_pd(kAll, _mm512_loadu_pd(values + t), lowest), highest);
    const __m512d shifted = _mm512_fmadd_pd(x, log2e, round);
    const __m512d r = _mm512_fmadd_pd(_mm512_sub_pd(shifted, round), ln2, x);
    __m512d p = _mm512_set1_pd(kTaylor[0]);
#pragma GCC unroll 10
    for (std::size_t k = 1; k < std::size(kTaylor); ++k) {
      p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(kTaylor[k]));
    }
    const __m512i power =
        _mm512_add_epi64(_mm512_maskz_slli_epi64(kAll, _mm512_castpd_si512(shifted), 52), bias);
    p = _mm512_mul_pd(p, _mm512_castsi512_pd(power));
    const __m256 low = _mm512_maskz_cvtpd_ps(kAll, _mm512_mul_pd(p, below));
    const __m256 high = _mm512_maskz_cvtpd_ps(kAll, _mm512_mul_pd(p, above));
    _mm256_storeu_ps(lower + t, low);
    _mm256_storeu_ps(upper + t, high);
    doubt |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_NEQ_UQ)));
  }
  const bool sure = t == count || bounds_fma(values + t, lower + t, upper + t, count - t);
  return sure && doubt == 0;
}
#endif

struct SmoLoops {
  SmoChoice (*violation)(const double*, const double*, std::size_t);
  SmoPartner (*partner)(const double*, const double*, const float*, double, std::size_t);
  void (*two_rows)(const float*, double, const float*, double, double*, std::size_t);
  void (*one_row)(const float*, double, double*, std::size_t);
  bool (*bounds)(const double*, float*, float*, std::size_t);
};

constexpr SmoLoops kBaselineLoops = {
    [](const double* slope, const double* up, std::size_t count) {
      return violation_loop(slope, up, count);
    },
    [](const double* slope, const double* low, const float* kernel, double violation,
       std::size_t count) { return partner_loop(slope, low, kernel, violation, count); },
    [](const float* first, double by_first, const float* second, double by_second, double* slope,
       std::size_t count) { two_rows_loop(first, by_first, second, by_second, slope, count); },
    [](const float* row, double by, double* target, std::size_t count) {
      one_row_loop(row, by, target, count);
    },
    bounds_baseline};

#if defined(__x86_64__)
__attribute__((target("avx2"))) SmoChoice violation_avx2(const double* slope, const double* up,
                                                         std::size_t count) {
  return violation_loop(slope, up, count);
}
__attribute__((target("avx2"))) SmoPartner partner_avx2(const double* slope, const double* low,
                                                        const float* kernel, double violation,
                                                        std::size_t count) {
  return partner_loop(slope, low, kernel, violation, count);
}
__attribute__((target("avx2"))) void two_rows_avx2(const float* first, double by_first,
                                                   const float* second, double by_second,
                                                   double* slope, std::size_t count) {
  two_rows_loop(first, by_first, second, by_second, slope, count);
}
__attribute__((target("avx2"))) void one_row_avx2(const float* row, double by, double* target,
                                                  std::size_t count) {
  one_row_loop(row, by, target, count);
}
constexpr SmoLoops kAvx2Loops = {violation_avx2, partner_avx2, two_rows_avx2, one_row_avx2,
                                 bounds_fma};
constexpr SmoLoops kAvx512Loops = {violation_avx2, partner_avx2, two_rows_avx2, one_row_avx2,
                                   bounds_avx512};
#endif

const SmoLoops& smo_loops(Instructions instructions) {
#if defined(__x86_64__)
  static const bool avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (avx2 && instructions == Instructions::best) {
    return register_width(instructions) == 8 ? kAvx512Loops : kAvx2Loops;
  }
  if (avx2 && instructions == Instructions::avx2) return kAvx2Loops;
#else
  static_cast<void>(instructions);
#endif
  return kBaselineLoops;
}

}  // namespace

SmoChoice largest_violation(std::span<const double> slope, std::span<const double> up,
                            Instructions instructions) {
  assert(slope.size() == up.size());
  return smo_loops(instructions).violation(slope.data(), up.data(), slope.size());
}

SmoPartner best_partner(std::span<const double> slope, std::span<const double> low,
                        std::span<const float> kernel, double violation,
                        Instructions instructions) {
  assert(slope.size() == low.size() && slope.size() <= kernel.size());
  return smo_loops(instructions)
      .partner(slope.data(), low.data(), kernel.data(), violation, slope.size());
}

void add_two_rows(std::span<const float> first, double by_first, std::span<const float> second,
                  double by_second, std::span<double> slope, Instructions instructions) {
  assert(first.size() >= slope.size() && second.size() >= slope.size());
  smo_loops(instructions)
      .two_rows(first.data(), by_first, second.data(), by_second, slope.data(), slope.size());
}

void add_one_row(std::span<const float> row, double by, std::span<double> target,
                 Instructions instructions) {
  assert(row.size() >= target.size());
  smo_loops(instructions).one_row(row.data(), by, target.data(), target.size());
}

void float_exponentials(std::span<const double> values, std::span<float> out,
                        Instructions instructions) {
  assert(values.size() == out.size());
  float upper[kPowersAtOnce];
  for (std::size_t first = 0; first < values.size(); first += kPowersAtOnce) {
    const auto block = values.subspan(first, std::min(kPowersAtOnce, values.size() - first));
    float* lower = out.data() + first;
    if (smo_loops(instructions).bounds(block.data(), lower, upper, block.size())) continue;
    // So near the middle of two floats that the error decides: a few in a hundred thousand.
    for (std::size_t t = 0; t < block.size(); ++t) {
      if (lower[t] != upper[t]) lower[t] = static_cast<float>(std::exp(block[t]));
    }
  }
}

}  // namespace vestige::metrics
