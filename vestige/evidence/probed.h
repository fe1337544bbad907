// Models that were treated once more to see whether the forgotten comes back:
// probed/PROBE/ROLE/NAME and probed/PROBE/unlearned/METHOD/NAME. They are groups of role "probed"
// whose method is "PROBE/ROLE" or "PROBE/unlearned/METHOD"; a model keeps the name that it had
// before the probe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

inline constexpr std::string_view kProbed = "probed";

/// The method of a probed group taken apart: which treatment, and of whom.
struct ProbedGroup {
  std::string probe;   ///< "int8", "relearn.8"
  std::string role;    ///< "original", "retrained", "unlearned"
  std::string method;  ///< "finetune"; only of unlearned
};

/// Of the method of a group of role "probed".
ProbedGroup probed_group(std::string_view method);
/// The other way round.
std::string probed_method(const ProbedGroup& group);

/// Every probe of the evidence, in natural order ("relearn.2" before "relearn.10").
std::vector<std::string> probes(const Evidence& evidence);

/// The models of this role and method after the probe; nullptr if there are none.
const Group* find_probed(const Evidence& evidence, std::string_view probe, std::string_view role,
                         std::string_view method);
/// The model of a group with this name, nullptr if there is none (or no group).
const Model* find_named(const Group* group, std::string_view name);

/// A probe that was looked at after so many steps: "relearn.8" is ("relearn", 8).
struct ProbeStage {
  std::string probe;
  std::size_t steps = 0;
};
/// Nothing where the name does not end in a point and a whole number above 0.
std::optional<ProbeStage> stage_of(std::string_view probe);

/// A probed model that has no model of its role, method and name beside it says nothing.
Findings check_probed(const Evidence& evidence);

}  // namespace vestige::evidence
