// Each loop is compiled for registers of two, four and eight doubles and chosen at run time
// (base/lanes.h). No number is added to another across the loop, so that all agree to the last bit.
#include "vestige/metrics/learn/smo_loops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "vestige/base/lanes.h"

namespace vestige::metrics {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
/// LIBSVM's TAU: the curvature of two equal rows.
constexpr double kSmallestCurvature = 1e-12;

/// The best value of each lane and its place, kept as a double; a later equal value replaces it.
template <std::size_t kWidth>
struct LaneBest {
  using Wide = typename Lanes<kWidth>::Doubles;
  Wide value = Wide{} + kNever;
  Wide place = Wide{} - 1.0;

  VESTIGE_WITHIN void keep(const Wide& other, const Wide& at) {
    const auto better = other >= value;
    value = better ? other : value;
    place = better ? at : place;
  }

  VESTIGE_WITHIN SmoChoice choose() const {
    SmoChoice choice{false, 0, kNever};
    double last = -1;
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      if (value[lane] > choice.value || (value[lane] == choice.value && place[lane] > last)) {
        choice.value = value[lane];
        last = place[lane];
      }
    }
    choice.found = choice.value > kNever;
    choice.index = choice.found ? static_cast<std::size_t>(last) : 0;
    return choice;
  }
};

/// Calls use(t, place of each lane) for whole registers and returns the first row that is left.
template <std::size_t kWidth, typename Use>
VESTIGE_WITHIN std::size_t for_lanes(std::size_t count, const Use& use) {
  typename Lanes<kWidth>::Doubles place;
  for (std::size_t lane = 0; lane < kWidth; ++lane) place[lane] = static_cast<double>(lane);
  std::size_t t = 0;
  for (; t + kWidth <= count; t += kWidth, place += static_cast<double>(kWidth)) use(t, place);
  return t;
}

template <typename Wide>
VESTIGE_WITHIN void load_doubles(const double* from, Wide& to) {
  std::memcpy(&to, from, sizeof(to));
}

template <typename Wide>
VESTIGE_WITHIN void load_floats(const float* from, Wide& to) {
  using Floats [[gnu::vector_size(sizeof(Wide) / 2)]] = float;
  Floats lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  to = __builtin_convertvector(lanes, Wide);
}

struct ViolationBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static SmoChoice run(const double* slope, const double* up, std::size_t count) {
    using Wide = typename Lanes<kWidth>::Doubles;
    LaneBest<kWidth> best;
    std::size_t t = for_lanes<kWidth>(
        count, [&](std::size_t at, const Wide& place) __attribute__((always_inline)) {
          Wide f, offset;
          load_doubles(slope + at, f);
          load_doubles(up + at, offset);
          best.keep(offset - f, place);
        });
    SmoChoice choice = best.choose();
    for (; t < count; ++t) {
      const double value = up[t] - slope[t];
      if (value > kNever && value >= choice.value) choice = {true, t, value};
    }
    return choice;
  }
};

struct PartnerBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static SmoPartner run(const double* slope, const double* low, const float* kernel,
                                       double violation, std::size_t count) {
    using Wide = typename Lanes<kWidth>::Doubles;
    const Wide smallest = Wide{} + kSmallestCurvature, never = Wide{} + kNever;
    LaneBest<kWidth> best;
    Wide largest = never;
    std::size_t t = for_lanes<kWidth>(
        count, [&](std::size_t at, const Wide& place) __attribute__((always_inline)) {
          Wide f, offset, k;
          load_doubles(slope + at, f);
          load_doubles(low + at, offset);
          load_floats(kernel + at, k);
          f += offset;
          largest = f > largest ? f : largest;
          const Wide difference = violation + f;
          const Wide flat = 2.0 - 2.0 * k;
          const Wide gain = difference * difference / (flat > 0.0 ? flat : smallest);
          best.keep(difference > 0.0 ? gain : never, place);
        });
    SmoPartner result{best.choose(), kNever};
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
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
};

struct TwoRowsBody {
  template <std::size_t>
  VESTIGE_WITHIN static void run(const float* first, double by_first, const float* second,
                                 double by_second, double* slope, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) {
      slope[t] +=
          static_cast<double>(first[t]) * by_first + static_cast<double>(second[t]) * by_second;
    }
  }
};

struct OneRowBody {
  template <std::size_t>
  VESTIGE_WITHIN static void run(const float* row, double by, double* target, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) target[t] += static_cast<double>(row[t]) * by;
  }
};

/// Rounds to float in both directions; false where a value within `kSlack` of one of them, as a
/// share, would round to another float.
struct RoundingBody {
  template <std::size_t>
  VESTIGE_WITHIN static bool run(const double* values, float* lower, float* upper,
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
};

}  // namespace

SmoChoice largest_violation(std::span<const double> slope, std::span<const double> up,
                            Instructions instructions) {
  assert(slope.size() == up.size());
  return run_widest<ViolationBody>(instructions, slope.data(), up.data(), slope.size());
}

SmoPartner best_partner(std::span<const double> slope, std::span<const double> low,
                        std::span<const float> kernel, double violation,
                        Instructions instructions) {
  assert(slope.size() == low.size() && slope.size() <= kernel.size());
  return run_widest<PartnerBody>(instructions, slope.data(), low.data(), kernel.data(), violation,
                                 slope.size());
}

void add_two_rows(std::span<const float> first, double by_first, std::span<const float> second,
                  double by_second, std::span<double> slope, Instructions instructions) {
  assert(first.size() >= slope.size() && second.size() >= slope.size());
  run_widest<TwoRowsBody>(instructions, first.data(), by_first, second.data(), by_second,
                          slope.data(), slope.size());
}

void add_one_row(std::span<const float> row, double by, std::span<double> target,
                 Instructions instructions) {
  assert(row.size() >= target.size());
  run_widest<OneRowBody>(instructions, row.data(), by, target.data(), target.size());
}

void float_exponentials(std::span<const double> values, std::span<float> out,
                        Instructions instructions) {
  assert(values.size() == out.size());
  constexpr std::size_t kPiece = 256;
  double powers[kPiece];
  float upper[kPiece];
  for (std::size_t first = 0; first < values.size(); first += kPiece) {
    const auto block = values.subspan(first, std::min(kPiece, values.size() - first));
    const std::size_t count = block.size();
    float* lower = out.data() + first;
    exponentials(block, {powers, count}, instructions);
    if (run_widest<RoundingBody>(instructions, &powers[0], lower, &upper[0], count)) continue;
    // So near the middle of two floats that the error decides: one in many million.
    for (std::size_t t = 0; t < count; ++t) {
      if (lower[t] != upper[t]) lower[t] = static_cast<float>(std::exp(block[t]));
    }
  }
}

}  // namespace vestige::metrics
