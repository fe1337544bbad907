// EMIA-P and EMIA-R (Ye et al. 2022): where a row's loss stands among losses on the population, or
// among those of models that never saw it. Membership scores: higher = more like a training row.
#pragma once

#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// log(1 + exp(-x)) without overflow: the loss behind a logit-scaled confidence x.
double logistic_loss(double x);
std::vector<double> logistic_losses(std::span<const double> values);

/// EMIA-P: 1 - share of population losses strictly below the row's loss. NaN without population.
std::vector<double> emia_p(std::span<const double> losses, std::span<const double> population);

/// EMIA-R: 1 - the smoothed rank of the row's loss among those of the shadows [shadows, rows]: with
/// 0 and `largest` added and sorted, the M + 2 losses stand for 0 .. 1 in equal steps, linear in
/// between (numpy.interp: on equal losses the last one counts).
std::vector<double> emia_r(std::span<const double> losses, MatrixView shadow_losses,
                           double largest = 1000);

}  // namespace vestige::metrics
