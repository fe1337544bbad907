// The report page: one file that opens from disk, with its data, its style and all that draws it.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// The whole page. No text of the results is ever markup: it travels as JSON in which no '<' is
/// left, and the page's policy allows no script but the program's own (by hash) and no network.
std::string html(const Results& results);

}  // namespace vestige::report
