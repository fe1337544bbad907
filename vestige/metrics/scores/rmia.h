// RMIA (Zarifzadeh et al. 2024): how often a row's likelihood ratio beats that of rows from the
// population, in the two published forms. Counting is by sorting, O((n + z) log z), not n * z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

enum class RmiaSignal { softmax, taylor };

struct RmiaSignalOptions {
  RmiaSignal signal = RmiaSignal::taylor;  ///< taylor: the soft-margin Taylor softmax
  double temperature = 2;                  ///< logits are divided by it
  double margin = 0.6;                     ///< taylor: subtracted from the true-class logit
};

/// What stands for the probability of the true class. taylor:
/// T(z_y - m) / (sum T(z) - T(z_y) + T(z_y - m)) with T(x) = 1 + x + x^2/2 + x^3/6, which can be
/// negative. Throws if labels do not fit.
std::vector<double> rmia_signals(MatrixView logits, std::span<const std::int64_t> labels,
                                 const RmiaSignalOptions& options = {});

/// Mean of what is left when the int(share * n) smallest and largest values are cut off, as scipy's
/// trim_mean does; NaN for no values.
double trimmed_mean(std::vector<double> values, double share);

/// Per column the trimmed mean over the models of signals [models, rows]; share 0: the plain mean.
std::vector<double> mean_signals(MatrixView signals, double trimmed_share);

/// p(x) from OUT models alone: (1 + a) / 2 * mean + (1 - a) / 2 (their offline approximation).
std::vector<double> offline_reference(std::span<const double> mean_out, double a);

/// signal / reference, per row.
std::vector<double> likelihood_ratios(std::span<const double> signals,
                                      std::span<const double> reference);

/// How a pair is compared: the two codes round differently, which decides ties.
enum class PairRule {
  quotient,    ///< x / z > gamma
  reciprocal,  ///< x * (1 / z) > gamma
};

/// Membership score of each row: the share of population ratios z with x / z > gamma, strictly.
/// Signs are respected (negative over negative is positive); NaN ratios never win. The same to the
/// last bit as comparing all pairs. NaN without population; gamma must be positive.
std::vector<double> rmia_scores(std::span<const double> ratios, std::span<const double> population,
                                double gamma, PairRule rule = PairRule::quotient);

}  // namespace vestige::metrics
