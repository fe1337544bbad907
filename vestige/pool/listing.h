// The table of `vestige models`.
#pragma once

#include <string>
#include <vector>

#include "vestige/pool/store.h"

namespace vestige::pool {

/// One line per model: label, name, architecture, dataset, method (of `what`: a text, or a table
/// with "name"), accuracy on train and test rows and seconds (of `facts`), size; then the total. A
/// dash where something is not known.
std::string pool_text(const std::vector<Entry>& entries);

/// "45.2 MB": powers of 1000.
std::string size_text(std::uint64_t bytes);

}  // namespace vestige::pool
