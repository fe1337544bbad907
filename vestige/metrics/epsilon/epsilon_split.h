// Does the attacker overfit? F with the threshold chosen on half of the models and judged on the
// other half, smoothed by a kernel density (competition paper, A.13 and A.14).
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon.h"
#include "vestige/metrics/epsilon/epsilon_score.h"

namespace vestige::metrics {

/// The strongest attack on one example: single threshold rather than double at equal eps, then the
/// lowest. Thresholds are midpoints between neighbouring values. epsilon is NaN if every attack is
/// discarded.
FittedAttack fit_attack(std::span<const double> unlearned, std::span<const double> retrained,
                        double delta = 1e-5, AttackFamilies families = AttackFamilies::both);

/// Silverman's rule of thumb (1986, Equation 3.31): 0.9 min(sd, IQR / 1.34) n^(-1/5). The smaller
/// of the two that is positive counts; 0 if all values are equal, NaN for fewer than two.
double silverman_bandwidth(std::span<const double> values);

/// Probability inside and outside [lower, upper]; both are kept so that neither loses its tail.
struct SmoothedMass {
  double inside = 0;
  double outside = 0;
};

/// Mass of the Gaussian kernel density of `values`; bandwidth 0 counts the values themselves.
SmoothedMass smoothed_mass(std::span<const double> values, double bandwidth, double lower,
                           double upper);

/// How the models are split.
struct SplitOptions {
  EpsilonOptions epsilon = {};
  std::size_t evaluation_models = 0;  ///< N-eval of paper A.14: at most so many; 0: all of the half
  /// Where cuts are fitted: every cut, or the public scorer's grids.
  EpsilonMode mode = EpsilonMode::exact;
  PointsOptions points = {};
  std::size_t fitting_models = 0;  ///< the first so many are fitted on; 0: half, rounded down
};

/// F of the split check.
struct SplitScore {
  std::vector<double> epsilons;       ///< per row, on the evaluation half; NaN where undefined
  ForgetScore score;                  ///< bins from evaluation_models
  std::size_t fitting_models = 0;     ///< smaller count of the two sides
  std::size_t evaluation_models = 0;  ///< smaller count of the two sides
};

/// Fits on the first half of the models of each side (rounded down) or the first fitting_models,
/// evaluates on the rest.
/// Matrices are [models, rows]. A row is undefined where no attack can be fitted, where exactly one
/// smoothed rate is 0, or where a confidence is infinite; samples that are equal as multisets in
/// the fitting half have eps 0. InputError for fewer than 4 models in a group.
SplitScore split_forget_score(MatrixView unlearned, MatrixView retrained,
                              const SplitOptions& options = {});

}  // namespace vestige::metrics
