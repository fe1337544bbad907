// One sort of numbers that hold both a value and its row, then a walk along it for every set.
#include "vestige/metrics/sde/sorted_sets.h"

#include <algorithm>
#include <bit>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cassert>

#include "vestige/base/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::metrics {
namespace {

constexpr std::size_t kBatch = 64;  // bits of a word

/// Larger for larger values, by their bits (negative numbers count down).
std::uint64_t ordered_bits(double value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// Writes the values whose word has the bit one after the other; what stands up to kEight places
/// behind the last of them is of no meaning. `count` is a multiple of kEight.
using PickHeld = void (*)(const double* values, const std::uint64_t* held, std::size_t count,
                          std::uint64_t bit, double* out);

void pick_portable(const double* values, const std::uint64_t* held, std::size_t count,
                   std::uint64_t bit, double* out) {
  // Written always and kept where the bit is set: a branch would be guessed wrong half of the time.
  for (std::size_t i = 0; i < count; ++i) {
    *out = values[i];
    out += (held[i] & bit) != 0 ? 1 : 0;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx512f,popcnt"))) void pick_avx512(const double* values,
                                                           const std::uint64_t* held,
                                                           std::size_t count, std::uint64_t bit,
                                                           double* out) {
  const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(bit));
  for (std::size_t i = 0; i < count; i += kEight) {
    const __mmask8 own = _mm512_test_epi64_mask(_mm512_loadu_si512(held + i), wanted);
    _mm512_storeu_pd(out, _mm512_maskz_compress_pd(own, _mm512_loadu_pd(values + i)));
    out += __builtin_popcount(own);
  }
}
#endif

PickHeld pick_for(Instructions instructions) {
#if defined(__x86_64__)
  if (register_width(instructions) == kEight) return pick_avx512;
#else
  static_cast<void>(instructions);
#endif
  return pick_portable;
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

SetMembers::SetMembers(std::span<const RowSet> sets, std::size_t rows) : rows_(rows) {
  for (std::size_t set = 0; set < sets.size(); ++set) {
    if (set % kBatch == 0) held_.emplace_back(rows);
    const std::uint64_t bit = std::uint64_t{1} << (set % kBatch);
    std::size_t size = 0;
    for (const std::uint32_t row : sets[set]) {
      if ((held_.back()[row] & bit) == 0) ++size;
      held_.back()[row] |= bit;
    }
    starts_.push_back(room_);
    sizes_.push_back(size);
    room_ += size + kEight;
  }
}

void SetMembers::sort(std::span<const double> values, SortRoom& room, std::span<double> out,
                      Instructions instructions) const {
  assert(values.size() == rows_ && out.size() == room_);
  ascending_rows(values, room.rows);
  // Behind the last row stand some that no set holds.
  const std::size_t count = (rows_ + kEight - 1) / kEight * kEight;
  room.values.assign(count, 0);
  for (std::size_t place = 0; place < rows_; ++place) {
    room.values[place] = values[room.rows[place]];
  }
  const PickHeld pick = pick_for(instructions);
  for (std::size_t batch = 0; batch < held_.size(); ++batch) {
    room.held.assign(count, 0);
    for (std::size_t place = 0; place < rows_; ++place) {
      room.held[place] = held_[batch][room.rows[place]];
    }
    const std::size_t end = std::min((batch + 1) * kBatch, sets());
    for (std::size_t set = batch * kBatch; set < end; ++set) {
      pick(room.values.data(), room.held.data(), count, std::uint64_t{1} << (set % kBatch),
           out.data() + starts_[set]);
      std::fill_n(out.data() + starts_[set] + sizes_[set], kEight, 0.0);
    }
  }
}

}  // namespace vestige::metrics
