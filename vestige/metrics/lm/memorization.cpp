// Memorisation from ranks.
#include "vestige/metrics/lm/memorization.h"

#include <algorithm>

namespace vestige::metrics {
namespace {

template <typename Score>
std::vector<double> by_sequence(std::span<const std::int64_t> ranks,
                                std::span<const std::size_t> offsets, const Score& score) {
  std::vector<double> result;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    result.push_back(score(ranks.subspan(offsets[row], offsets[row + 1] - offsets[row])));
  }
  return result;
}

}  // namespace

std::string_view name(ExtractionRule rule) {
  return rule == ExtractionRule::strict ? "strict" : "at_least_one";
}

std::vector<double> exact_memorization(std::span<const std::int64_t> ranks,
                                       std::span<const std::size_t> offsets) {
  return by_sequence(ranks, offsets, [](std::span<const std::int64_t> sequence) {
    const auto greedy = std::count(sequence.begin(), sequence.end(), 0);
    return static_cast<double>(greedy) / static_cast<double>(sequence.size());
  });
}

std::vector<double> extraction_strength(std::span<const std::int64_t> ranks,
                                        std::span<const std::size_t> offsets, ExtractionRule rule) {
  return by_sequence(ranks, offsets, [rule](std::span<const std::int64_t> sequence) {
    std::size_t greedy = 0;  // tokens at the end that are all the most probable
    while (greedy < sequence.size() && sequence[sequence.size() - 1 - greedy] == 0) ++greedy;
    if (greedy == 0 && rule == ExtractionRule::at_least_one) greedy = 1;
    return static_cast<double>(greedy) / static_cast<double>(sequence.size());
  });
}

}  // namespace vestige::metrics
