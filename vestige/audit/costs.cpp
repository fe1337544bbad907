// Costs in words, and the rows that would fit.
#include "vestige/audit/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vestige::audit {
namespace {

using evidence::Evidence;
using metrics::Cost;
using metrics::Family;

constexpr double kMinute = 60, kHour = 3600;

/// "12 min", "3.4 h"
std::string duration(double seconds) {
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.{}f} h", seconds / kHour, seconds < 20 * kHour ? 1 : 0);
}

const metrics::Option* rows_option(const Family& family) {
  const std::string key = std::string(family.name) + ".rows";
  const auto found = std::find_if(family.options.begin(), family.options.end(),
                                  [&](const auto& option) { return option.key == key; });
  return found == family.options.end() ? nullptr : &*found;
}

/// The most rows with which the family takes at most so many seconds; 0 if there are none.
std::size_t most_rows(const Evidence& evidence, const Family& family, Json options,
                      const metrics::Option& rows, const Cost& whole, double seconds) {
  std::size_t fits = 0, beyond = whole.rows;
  while (beyond - fits > 1) {
    const std::size_t middle = fits + (beyond - fits) / 2;
    options[rows.key] = middle;
    const std::optional<Cost> cost = family.cost(evidence, options);
    (cost && cost->seconds <= seconds ? fits : beyond) = middle;
  }
  // Two digits are as much as an estimate is worth.
  std::size_t unit = 1;
  while (fits / unit >= 100) unit *= 10;
  fits -= fits % unit;
  return fits < whole.fewest ? 0 : fits;
}

}  // namespace

const metrics::OptionTable<CostOptions>& cost_option_table() {
  static const metrics::OptionTable<CostOptions> table =
      metrics::OptionTable<CostOptions>("cost").number(
          "hours",
          "Processor time that a family may take by estimate; one that --metrics names may take "
          "more",
          [](CostOptions & options) -> auto& { return options.hours; }, metrics::above(0));
  return table;
}

std::optional<Cost> worth_saying(const Evidence& evidence, const Family& family,
                                 const Json& options) {
  if (family.cost == nullptr) return std::nullopt;
  const std::optional<Cost> cost = family.cost(evidence, options);
  if (!cost || cost->seconds < kWorthSaying) return std::nullopt;
  return cost;
}

std::string cost_sentence(const Cost& cost) {
  return fmt::format("about {} of processor time: {}", duration(cost.seconds), cost.work);
}

std::string beyond_hours(const Evidence& evidence, const Family& family, const Json& options) {
  const double hours = cost_option_table().read(options).hours;
  const std::optional<Cost> cost = worth_saying(evidence, family, options);
  if (!cost || cost->seconds <= hours * kHour) return {};
  std::string remedies;
  if (const metrics::Option* rows = rows_option(family)) {
    const std::size_t most = most_rows(evidence, family, options, *rows, *cost, hours * kHour);
    if (most > 0) remedies = fmt::format("{} {} would fit, ", rows->flag(), most);
  }
  return fmt::format(
      "would take {}; {}--metrics {} measures it nevertheless, --cost-hours {:.0f} "
      "allows it to all",
      cost_sentence(*cost), remedies, family.name, std::ceil(cost->seconds / kHour));
}

}  // namespace vestige::audit
