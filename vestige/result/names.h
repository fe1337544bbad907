// Enumerations by name: the words of results.json, policies and Python.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace vestige::result {

/// The key of a member whose fields stand in the object itself: {"metric", "setting", "value"}, not
/// {"measure": {...}, "value"}.
inline constexpr const char* kInline = "";

/// The names of an enumeration, in its order; specialised beside each enumeration.
template <typename Enumeration>
struct Names;  // static constexpr std::array<std::pair<Enumeration, std::string_view>, n> list

template <typename Enumeration>
concept Named = requires {
  Names<Enumeration>::list;
};

template <Named Enumeration>
constexpr std::string_view name(Enumeration value) {
  for (const auto& [known, word] : Names<Enumeration>::list) {
    if (known == value) return word;
  }
  return {};
}

template <Named Enumeration>
constexpr std::optional<Enumeration> from_name(std::string_view word) {
  for (const auto& [known, own] : Names<Enumeration>::list) {
    if (own == word) return known;
  }
  return std::nullopt;
}

}  // namespace vestige::result

/// VESTIGE_NAMES(Direction, {Direction::lower, "lower"}, ...): inside namespace vestige::result.
#define VESTIGE_NAMES(Enumeration, ...)                                         \
  template <>                                                                   \
  struct Names<Enumeration> {                                                   \
    static constexpr auto list =                                                \
        std::to_array<std::pair<Enumeration, std::string_view>>({__VA_ARGS__}); \
  };
