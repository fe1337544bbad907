// Sums of the larger values of two sorted sets: an operation less for each than |x - y| takes.
#include "vestige/metrics/sde/sorted_distances.h"

#include <algorithm>

#include "vestige/base/lanes.h"
#include "vestige/metrics/sde/wasserstein.h"

namespace vestige::metrics {
namespace {

/// Sets that are compared with another at once: as many chains of additions, which alone would wait
/// for themselves.
constexpr std::size_t kAtOnce = 4;

/// sums[k] = sum of max(x[k]_i, y_i), each as eight sums side by side. Behind `count` values stand
/// zeros on both sides, which add nothing.
template <std::size_t kSets>
struct LargerSums {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const double* const* x, const double* y, std::size_t count,
                                 double* sums) {
    using Doubles = typename Lanes<kWidth>::Doubles;
    Eight<kWidth> totals[kSets];
    for (Eight<kWidth>& total : totals) total.fill(0);
    for (std::size_t i = 0; i < count; i += kEight) {
      Eight<kWidth> own, other;
      other.load(y + i);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kSets; ++k) {
        own.load(x[k] + i);
        totals[k].each(
            [](Doubles & total, const Doubles& a, const Doubles& b)
                __attribute__((always_inline)) { total += a > b ? a : b; },
            own, other);
      }
    }
    for (std::size_t k = 0; k < kSets; ++k) sums[k] = totals[k].total();
  }
};

template <std::size_t kSets>
void larger_sums(Instructions instructions, const double* const* x, const double* y,
                 std::size_t count, double* sums) {
  run_widest<LargerSums<kSets>>(instructions, x, y, count, sums);
}

}  // namespace

SortedSets::SortedSets(const SetMembers& members, Instructions instructions)
    : members_(&members),
      instructions_(instructions),
      values_(members.room()),
      sums_(members.sets()) {}

void SortedSets::sort(std::span<const double> values, SortRoom& room) {
  members_->sort(values, room, values_, instructions_);
  for (std::size_t index = 0; index < sums_.size(); ++index) {
    // The larger of a value and itself: the very additions that sets are compared by, so that a set
    // is at distance 0 from itself.
    const double* own = set(index).data();
    larger_sums<1>(instructions_, &own, own, set(index).size(), &sums_[index]);
  }
}

void fill_distances(const SortedGroup& left, const SortedGroup& right, Matrix& out,
                    Instructions instructions) {
  for (std::size_t i = 0; i < left.count;) {
    const std::size_t size = left.sets->set(left.first + i).size();
    const double* x[kAtOnce];
    double own[kAtOnce];
    std::size_t alike = 0;  // sets from i on of the same size
    while (alike < kAtOnce && i + alike < left.count &&
           left.sets->set(left.first + i + alike).size() == size) {
      x[alike] = left.sets->set(left.first + i + alike).data();
      own[alike] = left.sets->sum(left.first + i + alike);
      ++alike;
    }
    const std::size_t step = alike == kAtOnce ? kAtOnce : 1;
    const auto values = static_cast<double>(size);
    for (std::size_t j = 0; j < right.count; ++j) {
      const std::span<const double> y = right.sets->set(right.first + j);
      if (y.size() != size) {
        for (std::size_t k = 0; k < step; ++k) out(i + k, j) = wasserstein_sorted({x[k], size}, y);
        continue;
      }
      double larger[kAtOnce];
      if (step == kAtOnce) {
        larger_sums<kAtOnce>(instructions, x, y.data(), size, larger);
      } else {
        larger_sums<1>(instructions, x, y.data(), size, larger);
      }
      const double other = right.sets->sum(right.first + j);
      for (std::size_t k = 0; k < step; ++k) {
        out(i + k, j) = std::max(0.0, 2 * larger[k] - own[k] - other) / values;
      }
    }
    i += step;
  }
}

}  // namespace vestige::metrics
