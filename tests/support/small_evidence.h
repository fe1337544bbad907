// Evidence made in memory, for tests that need groups of models but no files.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/evidence_folder.h"
#include "vestige/evidence/evidence.h"

namespace vestige::testing {

/// `count` models named 0, 1, ... with outputs [[0, 1], [2, 0]] on forget.
inline evidence::Group small_group(std::string role, std::string method, std::size_t count) {
  evidence::Group group{std::move(role), std::move(method), {}};
  for (std::size_t index = 0; index < count; ++index) {
    evidence::Model model;
    model.role = group.role;
    model.method = group.method;
    model.name = std::to_string(index);
    model.folder = model.id();
    model.outputs["forget"] = array_of(evidence::DType::float32, {0, 1, 2, 0}, {2, 2});
    group.models.push_back(std::move(model));
  }
  return group;
}

/// Two classes, labels {1, 0} of forget, and the given groups.
inline evidence::Evidence small_evidence(std::vector<evidence::Group> groups) {
  evidence::Evidence evidence;
  evidence.path = "evidence";
  evidence.classes = 2;
  evidence.labels["forget"] = {1, 0};
  evidence.groups = std::move(groups);
  return evidence;
}

}  // namespace vestige::testing
