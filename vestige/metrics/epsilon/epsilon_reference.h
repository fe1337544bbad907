// eps on the threshold grids of the public scorer of the competition paper, to compare with
// published numbers ("reference" mode): same values, sorting instead of 160,000 x N comparisons.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon.h"

namespace vestige::metrics {

/// Constants of the public scorer.
struct ReferenceGrid {
  double points_per_unit = 100;  ///< thresholds per unit of confidence
  double buffer = 2;             ///< how far double thresholds reach beyond the peaky sample
  double peaky_ratio = 0.01;     ///< below this ratio of ranges eps is the cap without a sweep
};

/// eps of one example; rates are float32 as in the public scorer. Every field is NaN where every
/// threshold is discarded (the public scorer stops with an assertion there, so equal constants are
/// undefined). Where the ratio of ranges decides alone, `double_threshold` is the cap.
/// InputError for an empty sample, values that are not finite, or bad options.
Epsilon reference_epsilon(std::span<const double> unlearned, std::span<const double> retrained,
                          const EpsilonOptions& options = {}, const ReferenceGrid& grid = {});

/// The rule behind it: single threshold rather than double at equal eps, then the first of the
/// grid. Where the ratio of ranges decides alone, it is the range of the peaky sample.
FittedAttack reference_attack(std::span<const double> unlearned, std::span<const double> retrained,
                              const EpsilonOptions& options = {}, const ReferenceGrid& grid = {});

/// eps of many examples: matrices are [models, examples]. In parallel.
std::vector<Epsilon> reference_epsilons(MatrixView unlearned, MatrixView retrained,
                                        const EpsilonOptions& options = {},
                                        const ReferenceGrid& grid = {});

/// torch.linspace in float32: the lower half counts up from `first`, the upper half down from
/// `last`, so that both ends are met.
std::vector<float> torch_linspace(double first, double last, std::size_t count);

/// numpy.linspace: first + i * step, the last point set to `last`.
void numpy_linspace(double first, double last, std::span<double> out);

}  // namespace vestige::metrics
