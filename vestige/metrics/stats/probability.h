// Probabilities of the normal and of Student's distribution, for folders that need one of them: the
// headers behind them take seconds to compile.
#pragma once

namespace vestige::metrics {

/// P(Z <= z) of a standard normal Z.
double normal_probability(double z);

/// z with P(Z > z) = `tail`; 0 < tail < 1.
double normal_critical(double tail);

/// P(|T| >= |t|) of Student's T.
double two_sided_t(double t, double degrees_of_freedom);

}  // namespace vestige::metrics
