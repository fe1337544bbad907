// Series and verdicts of results.json, and back.
#pragma once

#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/base/json.h"
#include "vestige/metrics/result.h"

namespace vestige::report {

/// Numbers have six digits.
Json series_json(const metrics::Series& series);
metrics::Series series_of(const Json& json, int schema);

Json verdict_json(const audit::Verdict& verdict);
audit::Verdict verdict_of(const Json& json, int schema);

}  // namespace vestige::report
