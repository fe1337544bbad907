// Every row of the results as RFC 4180 text.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// One line per row with the fields of docs/reference/audit-output.md; `model` is the subject in
/// one word, settings and facts are JSON. Undefined is empty.
std::string csv(const Results& results);

}  // namespace vestige::report
