// The runners of the core, family by family.
#include "vestige/audit/conformance/attacks.h"
#include "vestige/audit/conformance/conformal.h"
#include "vestige/audit/conformance/conformance.h"
#include "vestige/audit/conformance/epsilon.h"
#include "vestige/audit/conformance/iam.h"
#include "vestige/audit/conformance/sde.h"

namespace vestige::audit {

std::span<const ConformanceRunner> core_runners() {
  static const std::vector<ConformanceRunner> all = [] {
    std::vector<ConformanceRunner> runners;
    for (const auto& family :
         {epsilon_runners(), attack_runners(), conformal_runners(), iam_runners(), sde_runners()}) {
      runners.insert(runners.end(), family.begin(), family.end());
    }
    return runners;
  }();
  return all;
}

}  // namespace vestige::audit
