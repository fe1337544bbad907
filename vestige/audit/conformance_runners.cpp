// The runners of the core, family by family.
#include "vestige/audit/conformance.h"
#include "vestige/audit/conformance_sde.h"

namespace vestige::audit {

std::span<const ConformanceRunner> core_runners() {
  static const std::vector<ConformanceRunner> all = [] {
    std::vector<ConformanceRunner> runners;
    for (const auto& family : {sde_runners()}) {
      runners.insert(runners.end(), family.begin(), family.end());
    }
    return runners;
  }();
  return all;
}

}  // namespace vestige::audit
