// Names of probed models.
#include "vestige/evidence/probed.h"

#include <algorithm>
#include <charconv>

#include "vestige/evidence/layout.h"

namespace vestige::evidence {

ProbedGroup probed_group(std::string_view method) {
  ProbedGroup group;
  const std::size_t first = method.find('/');
  group.probe = method.substr(0, first);
  if (first == std::string_view::npos) return group;
  const std::string_view rest = method.substr(first + 1);
  const std::size_t second = rest.find('/');
  group.role = rest.substr(0, second);
  if (second != std::string_view::npos) group.method = rest.substr(second + 1);
  return group;
}

std::string probed_method(const ProbedGroup& group) {
  std::string method = group.probe + "/" + group.role;
  if (!group.method.empty()) method += "/" + group.method;
  return method;
}

std::vector<std::string> probes(const Evidence& evidence) {
  std::vector<std::string> found;
  for (const Group& group : evidence.groups) {
    if (group.role != kProbed) continue;
    std::string probe = probed_group(group.method).probe;
    if (std::find(found.begin(), found.end(), probe) == found.end()) {
      found.push_back(std::move(probe));
    }
  }
  std::sort(found.begin(), found.end(), natural_less);
  return found;
}

const Group* find_probed(const Evidence& evidence, std::string_view probe, std::string_view role,
                         std::string_view method) {
  return evidence.find(kProbed,
                       probed_method({std::string(probe), std::string(role), std::string(method)}));
}

const Model* find_named(const Group* group, std::string_view name) {
  if (group == nullptr) return nullptr;
  const auto found = std::find_if(group->models.begin(), group->models.end(),
                                  [name](const Model& model) { return model.name == name; });
  return found == group->models.end() ? nullptr : &*found;
}

std::optional<ProbeStage> stage_of(std::string_view probe) {
  const std::size_t point = probe.rfind('.');
  if (point == std::string_view::npos || point == 0) return std::nullopt;
  const std::string_view number = probe.substr(point + 1);
  ProbeStage stage{std::string(probe.substr(0, point)), 0};
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), stage.steps);
  if (error != std::errc() || end != number.data() + number.size() || stage.steps == 0) {
    return std::nullopt;
  }
  return stage;
}

Findings check_probed(const Evidence& evidence) {
  Findings findings;
  for (const Group& group : evidence.groups) {
    if (group.role != kProbed) continue;
    const ProbedGroup probed = probed_group(group.method);
    const Group* before = evidence.find(probed.role, probed.method);
    for (const Model& model : group.models) {
      if (find_named(before, model.name) != nullptr) continue;
      const std::string id =
          probed.role + "/" + (probed.method.empty() ? "" : probed.method + "/") + model.name;
      findings.push_back({Severity::warning, model.folder, reason(Code::recovery_without_model, id),
                          "W-NOT-USED", model.id()});
    }
  }
  return findings;
}

}  // namespace vestige::evidence
