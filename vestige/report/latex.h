// The results as LaTeX tables for \input; they need booktabs and longtable.
#pragma once

#include <string>
#include <string_view>

#include "vestige/base/json.h"

namespace vestige::report {

/// Text that LaTeX prints as it is: \ { } $ & # ^ _ ~ % < > are commands no more.
std::string latex_text(std::string_view text);

/// A tabular of methods by headline metrics with controls, then a longtable of every metric in its
/// main setting. Undefined and unreliable values are marked, with their reasons below.
std::string latex(const Json& results);

}  // namespace vestige::report
