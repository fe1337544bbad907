// Rows of many models beside each other: probabilities of each once (base/exponentials.h), then
// sums over classes for each pair, in vector instructions.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/base/exponentials.h"

namespace vestige::metrics {

/// Scales exported probabilities [K] to sum 1, in place; those below 1e-45 count as that, as in
/// evidence::log_probabilities.
void scale_row(std::span<double> row);

/// What one model says of one row, worked out once for all pairs that it is in.
struct SaidRow {
  std::size_t largest = 0;  ///< class of the largest probability, the lowest of equal ones
  double negentropy = 0;    ///< sum over classes of p ln p, in nats
};

SaidRow said_row(std::span<const double> p, Instructions instructions = Instructions::best);

/// Sums over the classes of a pair of rows; with m = (p + q) / 2 the Jensen-Shannon divergence in
/// nats is (negentropy of p + negentropy of q) / 2 - negentropy of m. For equal rows it is exactly
/// 0.
struct RowPair {
  double squared_distance = 0;  ///< sum of (p - q)^2
  double negentropy = 0;        ///< of m
};

/// Both rows must be as softmax or scale_row left them, of one length.
RowPair row_pair(std::span<const double> p, std::span<const double> q,
                 Instructions instructions = Instructions::best);

/// Total variation distance of two rows of one length: half the sum of |p - q|.
double total_variation(std::span<const double> p, std::span<const double> q);

}  // namespace vestige::metrics
