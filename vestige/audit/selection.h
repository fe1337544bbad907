// Which metrics were asked for: families, ids, or the beginning of ids.
#pragma once

#include <cstddef>
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
  /// An id of a family: a family's name brings all of its ids, whatever they begin with.
  bool has(const metrics::Family& family, std::string_view id) const;
  /// Nothing was named: all families but those that are measured on request.
  bool everything() const { return asked_.empty(); }
  /// True if the family or some id of it was asked for by name, so that missing evidence for it is
  /// an error; false if everything was asked for or the family only comes along with another one.
  bool named(const metrics::Family& family) const;

 private:
  std::vector<std::string> asked_;  ///< the names as given, then those that come along
  std::size_t given_ = 0;
};

}  // namespace vestige::audit
