// Texts of rows, and what models went on to say, as JSON for the page: remembered.texts of
// results.json.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"

namespace vestige::report {

inline constexpr std::size_t kMostTexts = 24;         ///< rows with a text on the page
inline constexpr std::size_t kMostTextLetters = 700;  ///< code points of a row's text
inline constexpr std::size_t kMostSaidLetters = 300;  ///< code points of what follows it
inline constexpr std::size_t kMostSpeakers = 12;      ///< models whose continuations are shown

/// The beginning of a text, at most `most` code points and a "…" where something was left out, cut
/// between words where one ends in the last fifth. What is no UTF-8, and control characters, become
/// spaces.
std::string beginning(std::string_view text, std::size_t most);

/// For the first kMostTexts of these rows of forget, in their order: {"row", "text",
/// "continuation": what truly follows, "said": [{"model": "original/0", "text"}]}, the last two
/// where the evidence has them; of each group its first model speaks: originals, retrained, then
/// unlearned ones. An empty list where the evidence has no text of forget; rows that it does not
/// have are left out.
Json texts_json(const evidence::Evidence& evidence, std::span<const std::size_t> rows);

}  // namespace vestige::report
