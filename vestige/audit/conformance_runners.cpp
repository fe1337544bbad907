// The runners of the core, family by family.
#include "vestige/audit/conformance.h"
#include "vestige/audit/conformance_iam.h"

namespace vestige::audit {

std::span<const ConformanceRunner> core_runners() {
  static const std::vector<ConformanceRunner> all = [] {
    std::vector<ConformanceRunner> runners;
    const auto add = [&](std::vector<ConformanceRunner> more) {
      runners.insert(runners.end(), more.begin(), more.end());
    };
    add(iam_runners());
    return runners;
  }();
  return all;
}

}  // namespace vestige::audit
