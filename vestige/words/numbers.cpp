// Numbers and nouns.
#include "vestige/words/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace vestige::words {

std::string with_separators(std::int64_t count) {
  std::string digits = std::to_string(count < 0 ? -count : count);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return count < 0 ? "-" + digits : digits;
}

std::int64_t two_digits(std::int64_t count) {
  std::int64_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  return (count + unit / 2) / unit * unit;
}

std::string counted(std::int64_t count, std::string_view noun) {
  const std::size_t slash = noun.find('/');
  const std::string singular(noun.substr(0, slash));
  const std::string plural =
      slash == std::string_view::npos ? singular + "s" : std::string(noun.substr(slash + 1));
  return fmt::format("{} {}", with_separators(count), count == 1 ? singular : plural);
}

std::string listed(const std::vector<std::string>& items, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? fmt::format(" {} ", last) : ", ";
    text += items[i];
  }
  return text;
}

std::string some_of(std::vector<std::string> items) {
  constexpr std::size_t kNamed = 3;
  if (items.size() > kNamed) {
    const std::size_t more = items.size() - kNamed;
    items.resize(kNamed);
    items.push_back(fmt::format("{} more", more));
  }
  return listed(items);
}

std::string percent(double share) {
  if (std::isnan(share)) return "undefined";
  const double value = 100 * share, size = std::abs(value);
  // All and nothing are said only of what is exactly that.
  if (size > 0 && size < 0.05) return value < 0 ? ">-0.1 %" : "<0.1 %";
  if (size >= 99.95 && size < 100) return value < 0 ? "<-99.9 %" : ">99.9 %";
  if (size > 99 && size < 99.95) return fmt::format("{:.1f} %", value);
  return std::abs(value) < 10 && value != std::round(value) ? fmt::format("{:.1f} %", value)
                                                            : fmt::format("{:.0f} %", value);
}

std::string duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.{}f} h", seconds / kHour, seconds < 20 * kHour ? 1 : 0);
}

}  // namespace vestige::words
