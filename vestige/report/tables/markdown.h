// The results as Markdown: what an issue or a wiki page can hold.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// Verdicts, remarks, the tables of methods and of checkpoints by headline metrics, what was not
/// measured, and every metric in its main setting. Text of the results is escaped.
std::string markdown(const Results& results);

}  // namespace vestige::report
