// Statistical membership inference (Sun et al. 2026, "SMI"): the share of non-members in the
// mixture that the features of forget rows are taken for, between those of retain rows (members)
// and of test rows (non-members) of the same model. No shadow and no retrained model is needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct SmiOptions {
  std::size_t replicates = 200;  ///< bootstrap draws, rows of every sample by themselves
  std::uint64_t seed = 1;
};

struct Smi {
  Estimate share;                ///< 1: like non-members; not cut to [0, 1]; 95 % percentile range
  double distance = kUndefined;  ///< squared MMD of members and non-members, unbiased
};

/// With m the mean embeddings under the Gaussian kernel exp(-d^2 / 2 sigma^2), the share p that
/// minimises |m_forget - p m_nonmembers - (1 - p) m_members|^2:
/// <m_forget - m_members, m_nonmembers - m_members> / |m_nonmembers - m_members|^2, all inner
/// products without pairs of a row with itself. NaN where members and non-members are no further
/// apart than chance makes them (distance not above 0), or a sample has fewer than two rows.
/// InputError if columns differ or sigma is not above 0.
Smi smi(MatrixView forget, MatrixView members, MatrixView nonmembers, double sigma,
        const SmiOptions& options = {});

}  // namespace vestige::metrics
