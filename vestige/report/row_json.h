// A row of results.json, and back.
#pragma once

#include "vestige/base/json.h"
#include "vestige/metrics/result.h"

namespace vestige::report {

Json row_json(const metrics::Row& row);

/// The row that was written; its terms are not in the file. InputError for a missing field or a
/// word that is not known.
metrics::Row row_of(const Json& json);

}  // namespace vestige::report
