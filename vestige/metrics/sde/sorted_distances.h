// Wasserstein-1 distances between the sets of two groups in one slice, from their sorted values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/exponentials.h"
#include "vestige/base/matrix.h"
#include "vestige/metrics/sde/sorted_sets.h"

namespace vestige::metrics {

/// The sets of a sample in ascending order, slice after slice in the same room.
class SortedSets {
 public:
  /// `members` must outlive this.
  explicit SortedSets(const SetMembers& members, Instructions instructions = Instructions::best);

  /// Takes the values of another slice, one per row.
  void sort(std::span<const double> values, SortRoom& room);

  std::span<const double> set(std::size_t index) const {
    return {values_.data() + members_->start(index), members_->size(index)};
  }
  /// Of the set's values.
  double sum(std::size_t index) const { return sums_[index]; }

 private:
  const SetMembers* members_;
  Instructions instructions_;
  std::vector<double> values_;
  std::vector<double> sums_;
};

/// Some sets of a sample, one after the other.
struct SortedGroup {
  const SortedSets* sets;
  std::size_t first;
  std::size_t count;
};

/// out(i, j) = distance of set i of the one group to set j of the other. For sets of one size that
/// is the mean of |x_i - y_i| over their sorted values, worked out as 2 max(x_i, y_i) - x_i - y_i,
/// whose last two sums belong to one set alone. The bytes do not depend on the vector width.
void fill_distances(const SortedGroup& left, const SortedGroup& right, Matrix& out,
                    Instructions instructions = Instructions::best);

}  // namespace vestige::metrics
