// Exponentials, logarithms and sums over classes, four at a time.
#include "vestige/metrics/stats/row_pairs.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace vestige::metrics {
namespace {

constexpr std::size_t kLanes = 4;
// Four numbers that are added, multiplied, ... as one (GCC and Clang); a processor without such
// registers takes two at a time, with the same bytes.
using Doubles [[gnu::vector_size(kLanes * sizeof(double))]] = double;
using Bits [[gnu::vector_size(kLanes * sizeof(double))]] = std::uint64_t;

constexpr double kLeastExponent = -708;  // e^-708 is above the least normal double
constexpr double kLeastProbability = 1e-45;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits: whole multiples up to 2^11 are exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// Must be compiled within its caller, for the processor that the caller is for; by reference,
// because how four doubles are passed depends on the processor too.
#define VESTIGE_WITHIN [[gnu::always_inline]] inline

VESTIGE_WITHIN void raise_to(Doubles& values, double least) {
  const Doubles limit = least - Doubles{};
  values = values > limit ? values : limit;
}

/// x becomes e^x for -708 <= x <= 0: x = k ln 2 + r with |r| <= ln(2) / 2, Taylor's series of e^r
/// up to r^12 (the next term is below 2e-16), times 2^k.
VESTIGE_WITHIN void exponential(Doubles& x) {
  constexpr double kShift = 0x1.8p52;  // added, it leaves the nearest whole number in the low bits
  constexpr double kFactorials[] = {39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2};
  const Doubles shifted = x * 1.4426950408889634 + kShift;
  const Doubles k = shifted - kShift;
  const Doubles r = (x - k * kLn2High) - k * kLn2Low;
  Doubles sum = r * (1.0 / 479001600);
  for (const double factorial : kFactorials) sum = (sum + 1 / factorial) * r;
  sum = sum * r + r + 1;
  x = sum * (Doubles)(((Bits)shifted + 1023) << 52);
}

/// x becomes ln x for normal x > 0: x = 2^k m with m between sqrt(1/2) and sqrt 2, and ln m = 2
/// artanh s with s = (m - 1) / (m + 1), |s| < 0.172, by its series up to s^21 (the next term is
/// below 2e-19).
VESTIGE_WITHIN void logarithm(Doubles& x) {
  constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0);
  constexpr std::uint64_t kRoot = std::bit_cast<std::uint64_t>(0.70710678118654752);
  constexpr double kOdd[] = {19, 17, 15, 13, 11, 9, 7, 5, 3};
  const Bits bits = (Bits)x;
  const Bits biased = (bits + (kOne - kRoot)) >> 52;  // k + 1023
  const Doubles m = (Doubles)(bits - (biased << 52) + kOne);
  // A whole number as the low bits of a double of 2^52.
  const Doubles k = (Doubles)(biased | std::bit_cast<std::uint64_t>(0x1p52)) - (0x1p52 + 1023);
  const Doubles s = (m - 1) / (m + 1);
  const Doubles z = s * s;
  Doubles sum = z * (2.0 / 21);
  for (const double odd : kOdd) sum = (sum + 2 / odd) * z;
  x = k * kLn2High + (2 * s + (s * sum + k * kLn2Low));
}

/// Adds p ln p; 0 for probabilities below the least normal double.
VESTIGE_WITHIN void add_p_log_p(const Doubles& p, Doubles& sum) {
  Doubles log = p;
  raise_to(log, std::numeric_limits<double>::min());
  logarithm(log);
  sum += p * log;
}

/// Calls use(values, place, bytes) with four numbers of the row after the other; where fewer are
/// left, `bytes` are from the row and the rest is `filling`.
template <typename Use>
VESTIGE_WITHIN void for_fours(const double* row, std::size_t count, double filling,
                              const Use& use) {
  Doubles values;
  std::size_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    std::memcpy(&values, row + k, sizeof values);
    use(values, k, sizeof values);
  }
  if (k == count) return;
  values = filling - Doubles{};
  const std::size_t bytes = (count - k) * sizeof(double);
  std::memcpy(&values, row + k, bytes);
  use(values, k, bytes);
}

VESTIGE_WITHIN double total(const Doubles& sums) {
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

VESTIGE_WITHIN double largest_of(const double* row, std::size_t count) {
  Doubles most = -kInfinity - Doubles{};
  for_fours(
      row, count, -kInfinity,
      [&](const Doubles& values, std::size_t, std::size_t)
          __attribute__((always_inline)) { most = values > most ? values : most; });
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

VESTIGE_WITHIN void divide(double* row, std::size_t count, const Doubles& sums) {
  const double factor = 1 / total(sums);
  for (std::size_t k = 0; k < count; ++k) row[k] *= factor;
}

VESTIGE_WITHIN void softmax_body(double* row, std::size_t count) {
  const double largest = largest_of(row, count);
  if (!std::isfinite(largest)) {
    std::fill(row, row + count, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Doubles sums{};
  for_fours(
      row, count, -kInfinity,
      [&](const Doubles& values, std::size_t k, std::size_t bytes) __attribute__((always_inline)) {
        const Doubles below = values - largest;
        Doubles power = below;
        raise_to(power, kLeastExponent);
        exponential(power);
        power = below < kLeastExponent ? Doubles{} : power;
        sums += power;
        std::memcpy(row + k, &power, bytes);
      });
  divide(row, count, sums);
}

VESTIGE_WITHIN void scale_body(double* row, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) row[k] = std::max(row[k], kLeastProbability);
  Doubles sums{};
  for_fours(
      row, count,
      0, [&](const Doubles& values, std::size_t, std::size_t) __attribute__((always_inline)) {
        sums += values;
      });
  divide(row, count, sums);
}

VESTIGE_WITHIN SaidRow said_body(const double* p, std::size_t count) {
  Doubles negentropy{};
  for_fours(
      p, count,
      0, [&](const Doubles& values, std::size_t, std::size_t) __attribute__((always_inline)) {
        add_p_log_p(values, negentropy);
      });
  const double largest = largest_of(p, count);
  return {static_cast<std::size_t>(std::find(p, p + count, largest) - p), total(negentropy)};
}

VESTIGE_WITHIN RowPair pair_body(const double* p, const double* q, std::size_t count) {
  Doubles squares{}, negentropy{};
  for_fours(
      p, count,
      0, [&](const Doubles& left, std::size_t k, std::size_t bytes) __attribute__((always_inline)) {
        Doubles right{};
        std::memcpy(&right, q + k, bytes);
        squares += (left - right) * (left - right);
        add_p_log_p(0.5 * (left + right), negentropy);
      });
  return {total(squares), total(negentropy)};
}

VESTIGE_WITHIN double variation_body(const double* p, const double* q, std::size_t count) {
  Doubles sums{};
  for_fours(
      p, count,
      0, [&](const Doubles& left, std::size_t k, std::size_t bytes) __attribute__((always_inline)) {
        Doubles right{};
        std::memcpy(&right, q + k, bytes);
        sums += left > right ? left - right : right - left;
      });
  return total(sums) / 2;
}

// Compiled twice, and the processor chooses. AVX2 alone, without fused products, rounds as SSE2.
#if defined(__x86_64__)
bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#define VESTIGE_TARGET_AVX2 [[gnu::target("avx2")]]
#else
bool has_avx2() { return false; }
#define VESTIGE_TARGET_AVX2
#endif

VESTIGE_TARGET_AVX2 void softmax_avx2(double* row, std::size_t count) { softmax_body(row, count); }

VESTIGE_TARGET_AVX2 void scale_avx2(double* row, std::size_t count) { scale_body(row, count); }

VESTIGE_TARGET_AVX2 SaidRow said_avx2(const double* p, std::size_t count) {
  return said_body(p, count);
}

VESTIGE_TARGET_AVX2 RowPair pair_avx2(const double* p, const double* q, std::size_t count) {
  return pair_body(p, q, count);
}

VESTIGE_TARGET_AVX2 double variation_avx2(const double* p, const double* q, std::size_t count) {
  return variation_body(p, q, count);
}

}  // namespace

void softmax_row(std::span<double> row) {
  has_avx2() ? softmax_avx2(row.data(), row.size()) : softmax_body(row.data(), row.size());
}

void scale_row(std::span<double> row) {
  has_avx2() ? scale_avx2(row.data(), row.size()) : scale_body(row.data(), row.size());
}

SaidRow said_row(std::span<const double> p) {
  return has_avx2() ? said_avx2(p.data(), p.size()) : said_body(p.data(), p.size());
}

RowPair row_pair(std::span<const double> p, std::span<const double> q) {
  assert(p.size() == q.size());
  return has_avx2() ? pair_avx2(p.data(), q.data(), p.size())
                    : pair_body(p.data(), q.data(), p.size());
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  assert(p.size() == q.size());
  return has_avx2() ? variation_avx2(p.data(), q.data(), p.size())
                    : variation_body(p.data(), q.data(), p.size());
}

void softmax_row_portable(std::span<double> row) { softmax_body(row.data(), row.size()); }

SaidRow said_row_portable(std::span<const double> p) { return said_body(p.data(), p.size()); }

RowPair row_pair_portable(std::span<const double> p, std::span<const double> q) {
  assert(p.size() == q.size());
  return pair_body(p.data(), q.data(), p.size());
}

}  // namespace vestige::metrics
