// Verdicts per request as a table of their own and as lines for the terminal.
#pragma once

#include <string>

#include "vestige/base/json.h"

namespace vestige::report {

/// requests.csv: one line per method and request, worst first.
std::string requests_csv(const Json& requests);

/// What the terminal shows: counts per method, the worst requests, twins. Empty without requests.
std::string requests_text(const Json& requests);

}  // namespace vestige::report
