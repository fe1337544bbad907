// What families will take, said before they begin: those that would take too long are left out
// unless they were named, with the rows that they would take.
#pragma once

#include <optional>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/options.h"

namespace vestige::audit {

struct CostOptions {
  double hours = 1;  ///< of one core that a family may take unless it was named
};

/// --cost-hours.
const metrics::OptionTable<CostOptions>& cost_option_table();

/// From so many seconds of one core on people are told beforehand.
inline constexpr double kWorthSaying = 30;

/// Nothing where the family does not say, or needs less than kWorthSaying.
std::optional<metrics::Cost> worth_saying(const evidence::Evidence& evidence,
                                          const metrics::Family& family, const Json& options);

/// Why the group is left out unless it is named, with the remedies; empty if it is not.
result::Reason beyond_hours(const evidence::Evidence& evidence, const metrics::Family& family,
                            const Json& options);

}  // namespace vestige::audit
