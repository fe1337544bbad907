// Rows of many models beside each other: probabilities of each once, then sums over classes for
// each pair, in loops that compilers turn into vector instructions.
#pragma once

#include <cstddef>
#include <span>

namespace vestige::metrics {

/// Turns logits or log-probabilities [K] into probabilities, in place; NaN where the largest is not
/// finite. The least positive one is e^-708.
void softmax_row(std::span<double> row);

/// Scales exported probabilities [K] to sum 1, in place; those below 1e-45 count as that, as in
/// evidence::log_probabilities.
void scale_row(std::span<double> row);

/// What one model says of one row, worked out once for all pairs that it is in.
struct SaidRow {
  std::size_t largest = 0;  ///< class of the largest probability, the lowest of equal ones
  double negentropy = 0;    ///< sum over classes of p ln p, in nats
};

SaidRow said_row(std::span<const double> p);

/// Sums over the classes of a pair of rows; with m = (p + q) / 2 the Jensen-Shannon divergence in
/// nats is (negentropy of p + negentropy of q) / 2 - negentropy of m. For equal rows it is exactly
/// 0.
struct RowPair {
  double squared_distance = 0;  ///< sum of (p - q)^2
  double negentropy = 0;        ///< of m
};

/// Both rows must be as softmax_row or scale_row left them, of one length.
RowPair row_pair(std::span<const double> p, std::span<const double> q);

/// Total variation distance of two rows of one length: half the sum of |p - q|.
double total_variation(std::span<const double> p, std::span<const double> q);

/// The same, to the byte, on processors without AVX2; for tests.
void softmax_row_portable(std::span<double> row);
SaidRow said_row_portable(std::span<const double> p);
RowPair row_pair_portable(std::span<const double> p, std::span<const double> q);

}  // namespace vestige::metrics
