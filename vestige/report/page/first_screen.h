// The first screen of the page as plain HTML: there without scripts, in mail and in print.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// The title that the page has: the one given, else the answer.
std::string page_title(const Results& results);

/// Answer, grade, one summary plot per method, what cannot be read and what cannot be proven.
std::string first_screen(const Results& results);

}  // namespace vestige::report
