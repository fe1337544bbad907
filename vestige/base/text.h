// Small help with words.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vestige {

/// Levenshtein's edit distance: letters to insert, delete or replace.
std::size_t edit_distance(std::string_view left, std::string_view right);

/// The candidate with the smallest edit distance (Levenshtein) to `word`; the first of equals.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace vestige
