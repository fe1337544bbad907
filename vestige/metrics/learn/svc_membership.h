// The support vector attack of published unlearning code: a machine is fitted on one feature of
// retain (member) against test (not), and asked about the forget rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct SvcMembershipOptions {
  double cost = 3;              ///< C of the support vector machine
  std::size_t max_rows = 2000;  ///< rows per side; a larger side is subsampled
  std::uint64_t seed = 1;       ///< of the subsample
};

struct SvcMembership {
  double member_share = kUndefined;  ///< share of forget rows called members
  std::vector<int> predictions;      ///< per forget row: 1 member
  std::vector<double> decisions;     ///< per forget row: positive means member
  std::size_t support_vectors = 0;
};

/// A support vector machine (RBF, gamma = 1 / features = 1) on one feature per row: on the
/// confidence it is the attack of the code published with SalUn, whose efficacy is 1 -
/// member_share. NaN without rows on a side.
SvcMembership svc_membership(std::span<const double> retain, std::span<const double> test,
                             std::span<const double> forget,
                             const SvcMembershipOptions& options = {});

}  // namespace vestige::metrics
