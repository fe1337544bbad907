// Values of many sets of one sample in ascending order, from one sort of all values: what a slice
// of a sliced Wasserstein distance needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/exponentials.h"
#include "vestige/metrics/sde/set_groups.h"

namespace vestige::metrics {

/// Working space of a sort.
struct SortRoom {
  std::vector<std::uint64_t> rows;  ///< ascending by value
  std::vector<double> values;       ///< in that order
  std::vector<std::uint64_t> held;  ///< which sets hold them
};

/// Which sets hold each row.
class SetMembers {
 public:
  /// A row that a set names twice is in it once.
  SetMembers(std::span<const RowSet> sets, std::size_t rows);

  std::size_t sets() const { return sizes_.size(); }
  /// Numbers that `out` of sort() needs: those of all sets, and eight behind each.
  std::size_t room() const { return room_; }
  std::size_t start(std::size_t set) const { return starts_[set]; }
  std::size_t size(std::size_t set) const { return sizes_[set]; }

  /// Places each set's values in `out`, from start(set) on, ascending, and eight zeros behind them,
  /// so that sets can be read eight values at a time; `values` has one per row.
  void sort(std::span<const double> values, SortRoom& room, std::span<double> out,
            Instructions instructions = Instructions::best) const;

 private:
  std::size_t rows_;
  std::size_t room_ = 0;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> sizes_;
  /// For each 64 sets and each row a bit per set that holds it.
  std::vector<std::vector<std::uint64_t>> held_;
};

/// Row numbers in ascending order of their values; rows of equal value in any order.
void ascending_rows(std::span<const double> values, std::vector<std::uint64_t>& keys);

}  // namespace vestige::metrics
