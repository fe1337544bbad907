// Exponentials and logarithms of many numbers at once, in vector instructions, and the sums of
// exponentials that a softmax is made of; the same bytes on every processor.
#pragma once

#include <span>

namespace vestige {

/// Which instructions to use at most; results are the same bytes (base/lanes.h).
enum class Instructions { best, avx2, baseline };

/// e^x of each, within 1.1 units in the last place of the true value: 0 of -infinity, subnormal
/// numbers and infinity where they belong, NaN of NaN. `out` may be `values`.
void exponentials(std::span<const double> values, std::span<double> out,
                  Instructions instructions = Instructions::best);

/// ln x of each, within one unit in the last place; -infinity of 0, NaN of numbers below 0.
void logarithms(std::span<const double> values, std::span<double> out,
                Instructions instructions = Instructions::best);

/// The largest number; NaN is passed over, -infinity of none.
double largest(std::span<const double> values, Instructions instructions = Instructions::best);

/// Sum of e^(x - shift).
double exponential_sum(std::span<const double> values, double shift,
                       Instructions instructions = Instructions::best);

/// ln of the sum of e^x, by largest + ln(sum of e^(x - largest)); NaN where the largest is not
/// finite or there is a NaN.
double log_sum_exp(std::span<const double> values, Instructions instructions = Instructions::best);

/// Turns x into e^x / sum of e^x, in place; NaN everywhere where the largest is not finite or there
/// is a NaN.
void softmax(std::span<double> row, Instructions instructions = Instructions::best);

/// Entropy in nats of the probabilities e^x / sum of e^x: ln s - t / s, with s the sum of e^(x -
/// largest) and t that of (x - largest) e^(x - largest). Both parts are at least 0, so that nothing
/// cancels.
double softmax_entropy(std::span<const double> values,
                       Instructions instructions = Instructions::best);

}  // namespace vestige
