// Values of many sets of one sample in ascending order, from one sort of all values: what a slice
// of a sliced Wasserstein distance needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/metrics/sde/set_groups.h"

namespace vestige::metrics {

/// Which sets hold each row, for batches of a few sets: as many streams of values can be written
/// side by side without missing the caches.
class SetMembers {
 public:
  /// A row that a set names twice is in it once.
  SetMembers(std::span<const RowSet> sets, std::size_t rows);

  std::size_t sets() const { return starts_.size() - 1; }
  /// Values of all sets together.
  std::size_t size() const { return starts_.back(); }
  std::size_t start(std::size_t set) const { return starts_[set]; }
  std::size_t size(std::size_t set) const { return starts_[set + 1] - starts_[set]; }

  /// Places of each set's values in `out`, from start(set) on, ascending; `values` has one per row.
  /// `keys` is working space.
  void sort(std::span<const double> values, std::vector<std::uint64_t>& keys,
            std::span<double> out) const;

 private:
  /// Sets of row r are sets[first[r]] to sets[first[r + 1]].
  struct Batch {
    std::vector<std::size_t> first;   ///< [rows + 1]
    std::vector<std::uint32_t> sets;  ///< places among all sets
  };

  std::size_t rows_;
  std::vector<std::size_t> starts_;  ///< [sets + 1]
  std::vector<Batch> batches_;
};

/// Row numbers in ascending order of their values; rows of equal value in any order.
void ascending_rows(std::span<const double> values, std::vector<std::uint64_t>& keys);

}  // namespace vestige::metrics
