// The results as Markdown: what an issue or a wiki page can hold.
#pragma once

#include <string>

#include "vestige/base/json.h"

namespace vestige::report {

/// Verdicts, remarks, the table of methods by headline metrics, what was not measured, and every
/// metric in its main setting. Text of the results is escaped.
std::string markdown(const Json& results);

}  // namespace vestige::report
