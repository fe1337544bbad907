// A radix sort from the last digit to the first: each pass is stable and reads the places in one
// go.
#include "vestige/metrics/stats/order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

namespace vestige::metrics {
namespace {

constexpr std::size_t kFewValues = 512;  // for which comparisons are quicker
constexpr unsigned kDigit = 11;          // bits: six passes, and counts that fit the first cache
constexpr std::size_t kDigits = (64 + kDigit - 1) / kDigit;
constexpr std::size_t kValuesOfDigit = std::size_t{1} << kDigit;

struct Keyed {
  std::uint64_t key;
  std::size_t place;
};

/// Whole numbers that are ordered as the doubles are: all bits of negative ones turned, and the
/// sign of the others.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits ^ ((bits >> 63U) != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63U);
}

std::size_t digit_of(std::uint64_t key, std::size_t digit) {
  return key >> (digit * kDigit) & (kValuesOfDigit - 1);
}

}  // namespace

std::vector<std::size_t> ascending_order(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  if (values.size() <= kFewValues) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return key_of(values[left]) < key_of(values[right]);
    });
    return order;
  }
  std::vector<Keyed> from(values.size()), to(values.size());
  std::vector<std::array<std::size_t, kValuesOfDigit>> counts(kDigits);
  for (std::size_t i = 0; i < values.size(); ++i) {
    from[i] = {key_of(values[i]), i};
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      ++counts[digit][digit_of(from[i].key, digit)];
    }
  }
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::array<std::size_t, kValuesOfDigit>& next = counts[digit];
    // A digit that all share, as the last ones of halves and floats are, moves nothing.
    if (next[digit_of(from.front().key, digit)] == values.size()) continue;
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
    for (const Keyed& one : from) to[next[digit_of(one.key, digit)]++] = one;
    from.swap(to);
  }
  std::transform(from.begin(), from.end(), order.begin(),
                 [](const Keyed& one) { return one.place; });
  return order;
}

}  // namespace vestige::metrics
