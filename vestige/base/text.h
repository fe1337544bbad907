// Small help with words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vestige {

/// The candidate with the smallest edit distance (Levenshtein) to `word`; the first of equals.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace vestige
