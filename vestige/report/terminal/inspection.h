// What evidence can support, before anything is measured: for the terminal, as JSON and in Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vestige/audit/audit.h"
#include "vestige/audit/verdicts/power.h"
#include "vestige/base/json.h"
#include "vestige/evidence/reader.h"

namespace vestige::report {

struct Inspection {
  evidence::Reading reading;
  std::vector<audit::FamilySupport> support;
  /// What verdicts could show; nothing where the evidence has errors or lacks what it takes.
  std::optional<audit::Power> power;

  std::size_t errors() const;
  std::size_t warnings() const;
};

Inspection inspect(evidence::Reading reading, const Context& context = {});

/// `vestige inspect --json`, docs/reference/evidence.md.
Json inspection_json(const Inspection& inspection);
/// `vestige inspect`.
std::string inspection_text(const Inspection& inspection, std::size_t width = 100);

}  // namespace vestige::report
