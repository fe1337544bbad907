// results.json: the contract with everything that reads results (schema 1; docs/results.md).
#pragma once

#include <cstdint>
#include <string>

#include "vestige/audit/audit.h"
#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/evidence/finding.h"

namespace vestige::report {

/// How the numbers were made.
struct Run {
  std::string command;
  std::uint64_t seed = 1;
  int threads = 1;
  std::string started;  ///< UTC, ISO 8601
  double seconds = 0;
  Json options = Json::object();
};

/// The file's text, indented, ending in a newline. NaN is null.
std::string results_json(const evidence::Evidence& evidence, const evidence::Findings& findings,
                         const audit::AuditResult& result, const Run& run);

}  // namespace vestige::report
