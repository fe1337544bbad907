// results.json: the contract with everything that reads results (schema 2;
// docs/reference/audit-output.md).
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

Json run_json(const Run& run);

/// NaN is null.
Json results_json(const Results& results);

/// The file's text, indented, ending in a newline.
std::string results_text(const Results& results);

/// The `bench` object of results.json; null for an audit.
Json bench_json_of(const Results& results);

}  // namespace vestige::report
