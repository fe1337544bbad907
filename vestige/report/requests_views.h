// Verdicts per request as a table of their own and as lines for the terminal.
#pragma once

#include <optional>
#include <string>

#include "vestige/base/json.h"
#include "vestige/result/requests.h"

namespace vestige::report {

/// requests.csv: one line per method and request, worst first.
std::string requests_csv(const result::Requests& requests);

/// What the terminal shows: counts per method, the worst requests, near-duplicates. Empty without
/// requests.
std::string requests_text(const std::optional<result::Requests>& requests);

/// The same for the page: numbers in short, reasons and words as texts.
Json requests_page(const result::Requests& requests);

}  // namespace vestige::report
