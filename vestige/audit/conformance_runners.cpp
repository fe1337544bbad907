// The runners of the core, family by family.
#include "vestige/audit/conformance.h"
#include "vestige/audit/conformance_attacks.h"
#include "vestige/audit/conformance_conformal.h"
#include "vestige/audit/conformance_epsilon.h"
#include "vestige/audit/conformance_iam.h"
#include "vestige/audit/conformance_sde.h"

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
