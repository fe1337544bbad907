// Logarithms and sums over classes, eight at a time (base/lanes.h).
#include "vestige/metrics/stats/row_pairs.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "vestige/base/lanes.h"

namespace vestige::metrics {
namespace {

constexpr double kLeastProbability = 1e-45;

/// Adds p ln p; as good as 0 for probabilities below the least normal double.
template <typename Doubles>
VESTIGE_WITHIN void add_p_log_p(const Doubles& p, Doubles& sum) {
  const Doubles least = std::numeric_limits<double>::min() - Doubles{};
  Doubles log = p > least ? p : least;
  normal_logarithm(log, Doubles{});
  sum += p * log;
}

/// Calls use(eight of p, eight of q); past the end both are 0, which adds nothing to any sum.
template <std::size_t kWidth, typename Use>
VESTIGE_WITHIN void for_pairs(const double* p, const double* q, std::size_t count, const Use& use) {
  for_eights<kWidth>(
      p, count, 0.0,
      [&](Eight<kWidth> & left, std::size_t place, std::size_t own) __attribute__((always_inline)) {
        Eight<kWidth> right;
        if (own == kEight) {
          right.load(q + place);
        } else {
          double rest[kEight] = {};
          for (std::size_t i = 0; i < own; ++i) rest[i] = q[place + i];
          right.load(rest);
        }
        use(left, right);
      });
}

struct ScaleBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(double* row, std::size_t count) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> sums;
    sums.fill(0);
    for (std::size_t k = 0; k < count; ++k) row[k] = std::max(row[k], kLeastProbability);
    for_eights<kWidth>(
        row, count,
        0.0, [&](Eight<kWidth> & values, std::size_t, std::size_t) __attribute__((always_inline)) {
          sums.each(
              [](Doubles & sum, const Doubles& own) __attribute__((always_inline)) { sum += own; },
              values);
        });
    const double factor = 1 / sums.total();
    for (std::size_t k = 0; k < count; ++k) row[k] *= factor;
  }
};

struct SaidBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static SaidRow run(const double* p, std::size_t count) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> negentropy;
    negentropy.fill(0);
    for_eights<kWidth>(
        p, count,
        0.0, [&](Eight<kWidth> & values, std::size_t, std::size_t) __attribute__((always_inline)) {
          negentropy.each(
              [](Doubles & sum, const Doubles& own)
                  __attribute__((always_inline)) { add_p_log_p(own, sum); },
              values);
        });
    const double most = largest_in<kWidth>(p, count);
    return {static_cast<std::size_t>(std::find(p, p + count, most) - p), negentropy.total()};
  }
};

struct PairBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static RowPair run(const double* p, const double* q, std::size_t count) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> squares, negentropy;
    squares.fill(0);
    negentropy.fill(0);
    for_pairs<kWidth>(
        p, q,
        count, [&](Eight<kWidth> & left, Eight<kWidth> & right) __attribute__((always_inline)) {
          squares.each(
              [](Doubles & square, Doubles & entropy, const Doubles& l, const Doubles& r)
                  __attribute__((always_inline)) {
                    square += (l - r) * (l - r);
                    const Doubles middle = 0.5 * (l + r);
                    add_p_log_p(middle, entropy);
                  },
              negentropy, left, right);
        });
    return {squares.total(), negentropy.total()};
  }
};

struct VariationBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static double run(const double* p, const double* q, std::size_t count) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> sums;
    sums.fill(0);
    for_pairs<kWidth>(
        p, q,
        count, [&](Eight<kWidth> & left, Eight<kWidth> & right) __attribute__((always_inline)) {
          sums.each(
              [](Doubles & sum, const Doubles& l, const Doubles& r)
                  __attribute__((always_inline)) { sum += l > r ? l - r : r - l; },
              left, right);
        });
    return sums.total() / 2;
  }
};

}  // namespace

void scale_row(std::span<double> row) {
  run_widest<ScaleBody>(Instructions::best, row.data(), row.size());
}

SaidRow said_row(std::span<const double> p, Instructions instructions) {
  return run_widest<SaidBody>(instructions, p.data(), p.size());
}

RowPair row_pair(std::span<const double> p, std::span<const double> q, Instructions instructions) {
  assert(p.size() == q.size());
  return run_widest<PairBody>(instructions, p.data(), q.data(), p.size());
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  assert(p.size() == q.size());
  return run_widest<VariationBody>(Instructions::best, p.data(), q.data(), p.size());
}

}  // namespace vestige::metrics
