// Remarks by cause, then by family, counted.
#pragma once

#include <string>
#include <vector>

#include "vestige/report/results.h"

namespace vestige::report {

struct RemarkGroup {
  result::Cause cause = result::Cause::other;
  std::string about;               ///< "miau, 8 metrics; conformal, 1 metric"; may be empty
  std::vector<std::string> texts;  ///< those of one family stand together

  /// "Cannot tell original from retrained here (miau, 8 metrics)".
  std::string heading() const;
};

/// Causes in the order in which they come first; those without a cause last.
std::vector<RemarkGroup> grouped_remarks(const Results& results);

}  // namespace vestige::report
