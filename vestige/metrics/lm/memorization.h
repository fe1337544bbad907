// How much of a text greedy decoding would say by itself: from the rank of each true token among
// the vocabulary (0: the most probable).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vestige::metrics {

/// What extraction strength is where the last token is wrong.
enum class ExtractionRule {
  strict,        ///< 0: nothing can be extracted (Carlini et al. 2021)
  at_least_one,  ///< 1 / n, as one public program has it
};
std::string_view name(ExtractionRule rule);

/// Share of tokens of each sequence that were the most probable (Tirumala et al. 2022).
std::vector<double> exact_memorization(std::span<const std::int64_t> ranks,
                                       std::span<const std::size_t> offsets);

/// 1 - (tokens up to and with the last wrong one) / n: the longest end of each sequence that greedy
/// decoding says by itself, as a share. 1 if every token is the most probable.
std::vector<double> extraction_strength(std::span<const std::int64_t> ranks,
                                        std::span<const std::size_t> offsets,
                                        ExtractionRule rule = ExtractionRule::strict);

}  // namespace vestige::metrics
