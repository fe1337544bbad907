// One pass over the text before a parser sees it.
#include "vestige/base/nesting.h"

#include <algorithm>

namespace vestige {

bool json_too_deep(std::string_view text) {
  std::size_t levels = 0;
  bool in_string = false;
  for (std::size_t place = 0; place < text.size(); ++place) {
    const char letter = text[place];
    if (in_string) {
      if (letter == '\\') ++place;  // the escaped character is no end of the string
      if (letter == '"') in_string = false;
    } else if (letter == '"') {
      in_string = true;
    } else if (letter == '[' || letter == '{') {
      if (++levels > kMostJsonLevels) return true;
    } else if ((letter == ']' || letter == '}') && levels > 0) {
      --levels;
    }
  }
  return false;
}

Json parse_json(std::string_view text) {
  if (json_too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

namespace {

/// The place behind a string or comment that begins at `place`; `place` itself where none does.
/// A string that is not closed ends with its line, or with the text if it may have lines: there the
/// parser stops with an error.
std::size_t behind_text(std::string_view text, std::size_t place) {
  const char quote = text[place];
  if (quote == '#') return std::min(text.find('\n', place), text.size());
  if (quote != '"' && quote != '\'') return place;
  const bool lines = text.substr(place, 3) == std::string(3, quote);
  for (std::size_t at = place + (lines ? 3 : 1); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text[at] == '\n' && !lines) {
      return at;
    } else if (text[at] == quote && (!lines || text.substr(at, 3) == std::string(3, quote))) {
      return at + (lines ? 3 : 1);
    }
  }
  return text.size();
}

}  // namespace

bool toml_too_deep(std::string_view text) {
  std::size_t dots = 0;
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t behind = behind_text(text, place);
    if (behind > place) {
      place = behind;
      continue;
    }
    const char letter = text[place++];
    if (letter == '.' && ++dots >= kMostKeyParts) return true;
    // A key ends here, or a number: dots of numbers are no levels.
    if (std::string_view("\n=,[]{}").find(letter) != std::string_view::npos) dots = 0;
  }
  return false;
}

}  // namespace vestige
