// One sort of numbers that hold both a value and its row, then a walk along it.
#include "vestige/metrics/sde/sorted_sets.h"

#include <algorithm>
#include <bit>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cassert>

namespace vestige::metrics {
namespace {

/// 32 sets of 400 values are 100 KB.
constexpr std::size_t kBatch = 32;

/// Larger for larger values, by their bits (negative numbers count down).
std::uint64_t ordered_bits(double value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

void ascending_rows(std::span<const double> values, std::vector<std::uint64_t>& keys) {
  const auto width = static_cast<unsigned>(std::bit_width(values.size()));
  const std::uint64_t row_bits = (std::uint64_t{1} << width) - 1;
  keys.resize(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    keys[row] = (ordered_bits(values[row]) & ~row_bits) | row;
  }
  boost::sort::pdqsort(keys.begin(), keys.end());
  for (std::uint64_t& key : keys) key &= row_bits;
  // The row took the place of a value's last bits: neighbours that these tell apart change places.
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const std::uint64_t row = keys[i];
    std::size_t place = i;
    for (; place > 0 && values[row] < values[keys[place - 1]]; --place) {
      keys[place] = keys[place - 1];
    }
    keys[place] = row;
  }
}

SetMembers::SetMembers(std::span<const RowSet> sets, std::size_t rows) : rows_(rows), starts_{0} {
  for (std::size_t begin = 0; begin < sets.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, sets.size());
    std::vector<std::vector<std::uint32_t>> held(rows);
    for (std::size_t set = begin; set < end; ++set) {
      std::size_t size = 0;
      for (const std::uint32_t row : sets[set]) {
        if (!held[row].empty() && held[row].back() == set) continue;
        held[row].push_back(static_cast<std::uint32_t>(set));
        ++size;
      }
      starts_.push_back(starts_.back() + size);
    }
    Batch& batch = batches_.emplace_back();
    for (const std::vector<std::uint32_t>& of_row : held) {
      batch.first.push_back(batch.sets.size());
      batch.sets.insert(batch.sets.end(), of_row.begin(), of_row.end());
    }
    batch.first.push_back(batch.sets.size());
  }
}

void SetMembers::sort(std::span<const double> values, std::vector<std::uint64_t>& keys,
                      std::span<double> out) const {
  assert(values.size() == rows_ && out.size() == size());
  ascending_rows(values, keys);
  std::vector<double*> ends;
  for (std::size_t set = 0; set < sets(); ++set) ends.push_back(out.data() + start(set));
  for (const Batch& batch : batches_) {
    for (const std::uint64_t row : keys) {
      const double value = values[row];
      const std::size_t last = batch.first[row + 1];
      for (std::size_t at = batch.first[row]; at < last; ++at) *ends[batch.sets[at]]++ = value;
    }
  }
}

}  // namespace vestige::metrics
