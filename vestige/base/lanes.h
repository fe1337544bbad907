// Eight numbers at a time, in registers of two, four or eight: e^x and ln x, and loops over rows
// that give the same bytes whatever the width.
//
// Every number goes through the same operations at every width (none is fused with another, which
// -ffp-contract=off sees to), and sums are always kept in eight parts, one for each place modulo 8.
// What is here is compiled within its caller, for the processor that the caller is compiled for; by
// reference, because how vectors are passed depends on the processor too.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "vestige/base/exponentials.h"

#define VESTIGE_WITHIN [[gnu::always_inline]] inline

namespace vestige {

/// Vector types of GCC and Clang: numbers that are added, multiplied, ... as one.
template <std::size_t kWidth>
struct Lanes {
  using Doubles [[gnu::vector_size(kWidth * sizeof(double))]] = double;
  using Bits [[gnu::vector_size(kWidth * sizeof(double))]] = std::uint64_t;
};

inline constexpr std::size_t kEight = 8;

/// Eight numbers in registers of kWidth.
template <std::size_t kWidth>
struct Eight {
  using Doubles = typename Lanes<kWidth>::Doubles;
  static constexpr std::size_t kParts = kEight / kWidth;
  Doubles parts[kParts];

  VESTIGE_WITHIN void fill(double value) {
    for (Doubles& part : parts) part = value - Doubles{};
  }
  VESTIGE_WITHIN void load(const double* from) {
    for (std::size_t i = 0; i < kParts; ++i) {
      std::memcpy(&parts[i], from + i * kWidth, sizeof(Doubles));
    }
  }
  VESTIGE_WITHIN void store(double* to) const {
    for (std::size_t i = 0; i < kParts; ++i) {
      std::memcpy(to + i * kWidth, &parts[i], sizeof(Doubles));
    }
  }
  /// Calls use(part of this, part of others ...).
  template <typename Use, typename... Others>
  VESTIGE_WITHIN void each(const Use& use, Others&... others) {
    for (std::size_t i = 0; i < kParts; ++i) use(parts[i], others.parts[i]...);
  }
  /// The sum of all eight, in one order.
  VESTIGE_WITHIN double total() const {
    double s[kEight];
    store(s);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
};

inline constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits: whole multiples are exact
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// x becomes e^x, within 1.1 units in the last place, from 0 (x < -745.14) to infinity (x >
/// 709.79).
///
/// x = n ln 2 + r with |r| <= ln(2) / 2 and ln 2 in two parts (Cody and Waite 1980). e^r = 1 + r +
/// r^2 q(r), where q of degree 9 meets (e^r - 1 - r) / r^2 at Chebyshev's points; off by 1.6e-17 at
/// most. Then times 2^n in two halves, because 2^1024 and 2^-1074 are no normal doubles. NaN passes
/// all comparisons. What is 0 in the end is counted as e^0, because products that underflow are
/// slow.
template <typename Doubles>
VESTIGE_WITHIN void exponential(Doubles& x) {
  using Bits = typename Lanes<sizeof(Doubles) / sizeof(double)>::Bits;
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kShift = 0x1.8p52;  // added, it leaves the nearest whole number in the low bits
  constexpr double kLowest = -745.1332191019412, kHighest = 710;  // below: nearer to 0 than 2^-1074
  constexpr double kQ[] = {0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19, 0x1.a019b90d2ae7ap-16,
                           0x1.a01a01a7c41d5p-13, 0x1.6c16c1788bd90p-10, 0x1.11111111109b3p-7,
                           0x1.5555555553d63p-5,  0x1.5555555555556p-3,  0x1.0000000000001p-1};
  const Doubles zero{};
  const auto none = x < kLowest;
  x = none ? zero : x;
  x = x > kHighest ? kHighest - zero : x;
  const Doubles shifted = x * kLog2E + kShift;
  const Doubles n = shifted - kShift;
  const Doubles r = (x - n * kLn2High) - n * kLn2Low;
  Doubles q = 0x1.af38a9b0ec855p-26 - zero;
#pragma GCC unroll 9
  for (const double coefficient : kQ) q = q * r + coefficient;
  const Doubles sum = (r * r) * q + r + 1;
  constexpr std::uint64_t kTwiceBias = 2 * 1023;
  const Bits exponent = (Bits)shifted + (kTwiceBias - std::bit_cast<std::uint64_t>(kShift));
  const Bits half = exponent >> 1;
  x = sum * (Doubles)(half << 52) * (Doubles)((exponent - half) << 52);
  x = none ? zero : x;
}

/// x becomes ln x + offset ln 2 for normal x > 0, within one unit in the last place.
///
/// x = 2^k m with m between sqrt(1/2) and sqrt 2, f = m - 1, s = f / (2 + f) and ln m = f - f^2 / 2
/// + s (f^2 / 2 + R(s^2)): the formula and the coefficients of R are fdlibm's e_log.c (Sun
/// Microsystems 1993), whose error is below 2^-58.
template <typename Doubles>
VESTIGE_WITHIN void normal_logarithm(Doubles& x, const Doubles& offset) {
  using Bits = typename Lanes<sizeof(Doubles) / sizeof(double)>::Bits;
  constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0);
  constexpr std::uint64_t kRoot = std::bit_cast<std::uint64_t>(0.70710678118654752);
  constexpr double kR[] = {1.531383769920937332e-01, 1.818357216161805012e-01,
                           2.222219843214978396e-01, 2.857142874366239149e-01,
                           3.999999999940941908e-01, 6.666666666666735130e-01};
  const Bits bits = (Bits)x;
  const Bits biased = (bits + (kOne - kRoot)) >> 52;  // k + 1023
  const Doubles f = (Doubles)(bits - (biased << 52) + kOne) - 1;
  // A whole number as the low bits of a double of 2^52.
  Doubles k = (Doubles)(biased | std::bit_cast<std::uint64_t>(0x1p52)) - (0x1p52 + 1023);
  k = k + offset;
  const Doubles s = f / (f + 2);
  const Doubles z = s * s;
  Doubles sum = z * 1.479819860511658591e-01;
#pragma GCC unroll 6
  for (const double coefficient : kR) sum = (sum + coefficient) * z;
  const Doubles square = 0.5 * f * f;
  x = k * kLn2High - ((square - (s * (square + sum) + k * kLn2Low)) - f);
}

/// x becomes ln x for any x: -infinity of 0 and NaN of less.
template <typename Doubles>
VESTIGE_WITHIN void logarithm(Doubles& x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLeastNormal = std::numeric_limits<double>::min();
  const Doubles zero{};
  const Doubles given = x;
  const auto small = x < kLeastNormal;
  x = small ? x * 0x1p54 : x;
  const Doubles offset = small ? -54 - zero : zero;
  normal_logarithm(x, offset);
  // These are rare, but a choice costs less than a look.
  x = given == kInfinity ? given : x;
  x = given == 0 ? -kInfinity - zero : x;
  x = given >= 0 ? x : std::numeric_limits<double>::quiet_NaN() - zero;
}

/// Calls use(eight numbers, place, how many of them are the row's); the others are `filling`.
template <std::size_t kWidth, typename Use>
VESTIGE_WITHIN void for_eights(const double* row, std::size_t count, double filling,
                               const Use& use) {
  Eight<kWidth> values;
  std::size_t k = 0;
  for (; k + kEight <= count; k += kEight) {
    values.load(row + k);
    use(values, k, kEight);
  }
  if (k == count) return;
  double rest[kEight];
  for (std::size_t i = 0; i < kEight; ++i) rest[i] = k + i < count ? row[k + i] : filling;
  values.load(rest);
  use(values, k, count - k);
}

/// Writes the first `count` of eight numbers.
template <std::size_t kWidth>
VESTIGE_WITHIN void store(const Eight<kWidth>& values, double* to, std::size_t count) {
  if (count == kEight) return values.store(to);
  double rest[kEight];
  values.store(rest);
  std::memcpy(to, rest, count * sizeof(double));
}

/// The largest number; NaN is passed over, and -infinity if there is nothing else.
template <std::size_t kWidth>
VESTIGE_WITHIN double largest_in(const double* row, std::size_t count) {
  constexpr double kLeast = -std::numeric_limits<double>::infinity();
  using Doubles = typename Lanes<kWidth>::Doubles;
  Eight<kWidth> most;
  most.fill(kLeast);
  for_eights<kWidth>(
      row, count,
      kLeast, [&](Eight<kWidth> & values, std::size_t, std::size_t) __attribute__((always_inline)) {
        most.each(
            [](Doubles & all, const Doubles& own)
                __attribute__((always_inline)) { all = own > all ? own : all; },
            values);
      });
  double each[kEight];
  most.store(each);
  double result = each[0];
  for (const double value : each) result = value > result ? value : result;
  return result;
}

// Body::run<2>, <4> or <8>, compiled for processors that have such registers.
#if defined(__x86_64__)
#define VESTIGE_TARGET_AVX2 [[gnu::target("avx2")]]
#define VESTIGE_TARGET_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl")]]
#else
#define VESTIGE_TARGET_AVX2
#define VESTIGE_TARGET_AVX512
#endif

template <typename Body, typename... Arguments>
auto run_baseline(Arguments... arguments) {
  return Body::template run<2>(arguments...);
}
template <typename Body, typename... Arguments>
VESTIGE_TARGET_AVX2 auto run_avx2(Arguments... arguments) {
  return Body::template run<4>(arguments...);
}
template <typename Body, typename... Arguments>
VESTIGE_TARGET_AVX512 auto run_avx512(Arguments... arguments) {
  return Body::template run<8>(arguments...);
}

/// Numbers in a register of this processor, as far as it may be used: 2, 4 or 8.
std::size_t register_width(Instructions instructions);

/// Runs the version for this processor; the bytes are the same.
template <typename Body, typename... Arguments>
auto run_widest(Instructions instructions, Arguments... arguments) {
  const std::size_t width = register_width(instructions);
  if (width == 8) return run_avx512<Body>(arguments...);
  if (width == 4) return run_avx2<Body>(arguments...);
  return run_baseline<Body>(arguments...);
}

}  // namespace vestige
