// Reading and writing times.
#include "vestige/experiment/estimates/duration.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "vestige/base/error.h"

namespace vestige::experiment {

double parse_duration(const std::string& text) {
  double total = 0;
  std::size_t place = 0;
  while (place < text.size()) {
    std::size_t used = 0;
    double number = 0;
    try {
      number = std::stod(text.substr(place), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    require(used > 0 && number >= 0 && std::isfinite(number),
            "'{}' is no duration: write 90s, 10m or 1h30m", text);
    place += used;
    const char unit = place < text.size() ? text[place++] : 's';
    require(unit == 's' || unit == 'm' || unit == 'h',
            "'{}' is no duration: write 90s, 10m or 1h30m", text);
    total += number * (unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
  }
  require(total > 0, "'{}' is no duration: write 90s, 10m or 1h30m", text);
  return total;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace vestige::experiment
