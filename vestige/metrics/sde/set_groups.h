// Groups of sets of rows of several samples, and which of them are compared: what MMD and sliced
// Wasserstein distances are measured between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// Rows of a sample, without repetition.
using RowSet = std::vector<std::uint32_t>;

/// A sample and sets of its rows.
struct SampleSets {
  MatrixView values;  ///< [n, d]
  std::span<const RowSet> sets;
};

/// Two groups, by their places: every set of the one is compared with every set of the other.
struct GroupPair {
  std::size_t left = 0;
  std::size_t right = 0;
};

/// The rows of a sample that any of the sets holds, ascending, and the sets with places among them:
/// a control draws its sets from half of the rows, and the other half costs nothing.
struct UsedRows {
  UsedRows(std::span<const RowSet> of, std::size_t sample_rows);

  RowSet rows;
  std::vector<RowSet> sets;
};

/// Groups of one sample, so that what depends on its rows alone is done once for all of them.
struct SharedSample {
  MatrixView values;
  std::vector<std::size_t> groups;  ///< places among the groups
  UsedRows used;                    ///< sets of all of them, group after group
};

/// The groups by sample: views of the same rows in memory are the same sample.
std::vector<SharedSample> shared_samples(std::span<const SampleSets> groups);

/// InputError unless all samples have the same columns, every set has at least `fewest` rows, and
/// these exist; `what` begins the sentence.
void check_groups(std::span<const SampleSets> groups, std::size_t fewest, const char* what);

}  // namespace vestige::metrics
