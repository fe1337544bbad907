// Costs in words, and the rows that would fit.
#include "vestige/audit/costs.h"

#include <algorithm>
#include <cmath>

namespace vestige::audit {
namespace {

using evidence::Evidence;
using metrics::Cost;
using metrics::Family;

constexpr double kHour = 3600;

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
          "Processor hours that a metric group may take by estimate; a group named by --metrics "
          "may "
          "take more",
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

result::Reason beyond_hours(const Evidence& evidence, const Family& family, const Json& options) {
  const double hours = cost_option_table().read(options).hours;
  const std::optional<Cost> cost = worth_saying(evidence, family, options);
  if (!cost || cost->seconds <= hours * kHour) return {};
  const metrics::Option* rows = rows_option(family);
  const std::size_t most =
      rows == nullptr ? 0 : most_rows(evidence, family, options, *rows, *cost, hours * kHour);
  return result::reason(result::Code::takes_too_long, family.name, cost->seconds, cost->work,
                        rows == nullptr ? "" : rows->flag(), most,
                        std::ceil(cost->seconds / kHour));
}

}  // namespace vestige::audit
