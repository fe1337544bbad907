// The scoring variants that IAM was compared with (Table 5 of the paper), by the same levels and
// weights.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/scores/iam.h"

namespace vestige::metrics {

/// What is interpolated, and which distribution a level has.
enum class Scoring {
  loss,    ///< p of the true class itself: no levels
  ecdf,    ///< p; share of shadow levels that are not above the target
  kde,     ///< p; Gaussian kernels at the shadow levels, bandwidth by Silverman's rule
  bayes,   ///< p; beta distribution by moments
  gauss,   ///< ln(p / (1 - p)); normal distribution by moments
  gumbel,  ///< the bounded response; Gumbel distribution by moments: IAM itself
};

inline constexpr std::array<Scoring, 6> kScorings = {
    Scoring::loss, Scoring::ecdf, Scoring::kde, Scoring::bayes, Scoring::gauss, Scoring::gumbel};

std::string_view name(Scoring scoring);
/// Throws for an unknown name.
Scoring scoring_of(std::string_view name);

/// Membership scores by one variant. `target`, `shadows` [shadows, rows] and `in` hold what the
/// variant interpolates (see Scoring). ecdf and kde look at every shadow: O(rows * levels *
/// shadows). Silverman's bandwidth is (3 n / 4)^(-1/5) times the level's standard deviation for n
/// shadows (the authors' code always has n = 1 and no 3/4). A beta distribution with a variance
/// too large for its mean is its limit, mass on 0 and 1 (the authors' code gives 1/2 there). Zero
/// spread: NaN, except for ecdf and loss, which need none.
std::vector<double> scoring_scores(Scoring scoring, std::span<const double> target,
                                   MatrixView shadows, std::span<const double> in,
                                   const IamOptions& options = {});

}  // namespace vestige::metrics
