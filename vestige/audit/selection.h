// Which metrics were asked for: families, ids, or the beginning of ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"

namespace vestige::audit {

class Selection {
 public:
  /// `asked` as given to --metrics; empty means all. Throws on a name that selects nothing, with
  /// the nearest one that does.
  explicit Selection(std::vector<std::string> asked);

  bool has(const metrics::Family& family) const;
  bool has(std::string_view id) const;
  /// True if the family was named, so that missing evidence for it must be reported.
  bool everything() const { return asked_.empty(); }

 private:
  std::vector<std::string> asked_;
};

}  // namespace vestige::audit
