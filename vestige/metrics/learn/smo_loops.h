// The inner loops of the support vector machine's solver over all active rows, four doubles at a
// time, with the same bytes whatever instructions the machine has.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/metrics/kernels/gumbel_kernel.h"

namespace vestige::metrics {

/// A row and what it was chosen for; `found` is false where no row qualifies.
struct SmoChoice {
  bool found = false;
  std::size_t index = 0;
  double value = 0;
};

/// The largest -slope_t + up_t, where up_t is 0 for rows that may move up and -infinity for the
/// others. The last of equal rows, as in LIBSVM.
SmoChoice largest_violation(std::span<const double> slope, std::span<const double> up,
                            Instructions instructions = Instructions::best);

/// The partner of a row with violation `violation` and kernel values `kernel`.
struct SmoPartner {
  SmoChoice choice;  ///< the largest gain (violation + slope_t)^2 / (2 - 2 k_t); the last of equals
  double largest_low = 0;  ///< the largest slope_t + low_t
};
SmoPartner best_partner(std::span<const double> slope, std::span<const double> low,
                        std::span<const float> kernel, double violation,
                        Instructions instructions = Instructions::best);

/// slope_t += first_t * by_first + second_t * by_second.
void add_two_rows(std::span<const float> first, double by_first, std::span<const float> second,
                  double by_second, std::span<double> slope,
                  Instructions instructions = Instructions::best);

/// target_t += row_t * by.
void add_one_row(std::span<const float> row, double by, std::span<double> target,
                 Instructions instructions = Instructions::best);

/// exp(x) as a float: the one that std::exp, rounded to float, gives.
void float_exponentials(std::span<const double> values, std::span<float> out,
                        Instructions instructions = Instructions::best);

}  // namespace vestige::metrics
