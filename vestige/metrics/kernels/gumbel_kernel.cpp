// The vector loops of IAM, eight rows at a time (base/lanes.h).
#include "vestige/metrics/kernels/gumbel_kernel.h"

#include <algorithm>
#include <cassert>

#include "vestige/base/lanes.h"

namespace vestige::metrics {
namespace {

/// Pointers to eight rows.
struct Block {
  const double* target;
  const double* shadow;
  const double* in;
  const double* inverse;
  double* sum;
};

template <std::size_t kWidth>
VESTIGE_WITHIN void add_levels(const Block& block, std::span<const GumbelLevel> levels) {
  using Doubles = typename Lanes<kWidth>::Doubles;
  Eight<kWidth> target, shadow, in, inverse, sum;
  target.load(block.target);
  shadow.load(block.shadow);
  in.load(block.in);
  inverse.load(block.inverse);
  sum.load(block.sum);
  for (const GumbelLevel& level : levels) {
    for (std::size_t i = 0; i < Eight<kWidth>::kParts; ++i) {
      const Doubles mean = level.shadow_share * shadow.parts[i] + level.in_share * in.parts[i];
      Doubles x = (mean - target.parts[i]) * (inverse.parts[i] * level.inverse_scale) -
                  kIamEulerGamma;  // -z
      exponential(x);
      x = -x;
      exponential(x);
      sum.parts[i] = sum.parts[i] + level.weight * x;
    }
  }
  sum.store(block.sum);
}

struct LevelsBody {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const GumbelRows* rows, const std::span<const GumbelLevel>* levels,
                                 std::span<double> sums) {
    std::size_t i = 0;
    for (; i + kEight <= sums.size(); i += kEight) {
      add_levels<kWidth>({rows->target.data() + i, rows->shadow_mean.data() + i,
                          rows->in.data() + i, rows->inverse_scale.data() + i, sums.data() + i},
                         *levels);
    }
    if (i == sums.size()) return;
    double rest[5][kEight] = {};
    const std::span<const double> sources[5] = {rows->target, rows->shadow_mean, rows->in,
                                                rows->inverse_scale, sums};
    for (std::size_t k = 0; k < 5; ++k) {
      std::copy(sources[k].begin() + static_cast<std::ptrdiff_t>(i), sources[k].end(), rest[k]);
    }
    add_levels<kWidth>({rest[0], rest[1], rest[2], rest[3], rest[4]}, *levels);
    std::copy(rest[4], rest[4] + (sums.size() - i), sums.begin() + static_cast<std::ptrdiff_t>(i));
  }
};

}  // namespace

void add_gumbel_levels(const GumbelRows& rows, std::span<const GumbelLevel> levels,
                       std::span<double> sums, Instructions instructions) {
  assert(rows.target.size() == sums.size() && rows.shadow_mean.size() == sums.size() &&
         rows.in.size() == sums.size() && rows.inverse_scale.size() == sums.size());
  run_widest<LevelsBody>(instructions, &rows, &levels, sums);
}

}  // namespace vestige::metrics
