// Means, quantiles and intervals that metrics share; distributions come from Boost.Math.
// Undefined answers (too few values, zero variance) are NaN; NaN in the input gives NaN.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Which way a one-sided test looks; `greater`: the first sample is larger.
enum class Alternative { greater, less, two_sided };

/// NaN for no values.
double mean(std::span<const double> values);
/// Two-pass, divided by n - 1; NaN for fewer than two values.
double variance(std::span<const double> values);
/// Square root of variance().
double standard_deviation(std::span<const double> values);

/// Quantile by numpy's default rule (linear between order statistics); `probability` in [0, 1].
/// NaN for no values.
double quantile(std::span<const double> values, double probability);
double median(std::span<const double> values);

/// Half the width of a two-sided Student t interval around an estimate with this standard error.
double t_half_width(double standard_error, double degrees_of_freedom, double level = 0.95);

/// Mean with its two-sided Student t interval; the interval is NaN for fewer than two values.
Estimate t_interval(std::span<const double> values, double level = 0.95);

/// Share successes / trials with the exact binomial interval (Clopper and Pearson 1934); NaN for no
/// trials.
Estimate clopper_pearson(std::size_t successes, std::size_t trials, double level = 0.95);

}  // namespace vestige::metrics
