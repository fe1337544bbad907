// Which rows of results keep their per-row terms until they are judged.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "vestige/metrics/result.h"

namespace vestige::audit {

/// Forgets terms that nobody will ask for: at a million rows they would be most of what an audit
/// holds. Asked for are those of metrics that judge forgetting, speak in verdicts or count as
/// utility, and of a group of models those of its first row, or of its first that has a value.
class KeptTerms {
 public:
  /// Rows are given in the order of the results.
  void trim(metrics::Row& row);

 private:
  /// Metric, setting and group, and whether a row with a value was among them.
  std::map<std::tuple<std::string, std::string, std::string>, bool> seen_;
};

}  // namespace vestige::audit
