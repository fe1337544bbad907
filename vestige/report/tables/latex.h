// The results as LaTeX tables for \input; they need booktabs and longtable.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// A tabular of methods by headline metrics with controls, then a longtable of every metric in its
/// main setting; checkpoints stand apart. Undefined and unreliable values are marked, with their
/// reasons below.
std::string latex(const Results& results);

}  // namespace vestige::report
