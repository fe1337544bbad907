// The audit: every metric that the evidence supports, on every method and every control.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/remark.h"
#include "vestige/audit/remembered.h"
#include "vestige/audit/verdicts.h"
#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/result.h"

namespace vestige::audit {

struct AuditOptions {
  std::vector<std::string> metrics;  ///< families or ids; empty: all that evidence supports
  std::uint64_t seed = 1;            ///< root of every random draw
  Json options = Json::object();     ///< by key: {"iam.levels": 50}; the others have defaults
};

/// A family that was not measured, and what it would need.
struct Skipped {
  std::string family;
  std::string sentence;
  bool cost = false;  ///< for the time that it would take
};

struct AuditResult {
  std::vector<metrics::Row> rows;
  std::vector<metrics::SampleColumn> columns;
  std::vector<metrics::Series> series;
  std::vector<Verdict> verdicts;  ///< one per method
  RememberedRows remembered;
  std::vector<Remark> remarks;
  std::vector<Skipped> skipped;
  Json correlations = Json::object();  ///< per-row scores of methods against each other
  Grade grade;
  Json options = Json::object();  ///< in force, defaults included
};

AuditResult audit(const evidence::Evidence& evidence, const AuditOptions& options);

/// One line of `vestige inspect`: does the evidence support this family?
struct FamilySupport {
  std::string family;
  std::string summary;
  metrics::Support support;
  double seconds = metrics::kUndefined;  ///< of one core, where it is long and known beforehand
};

/// With default options.
std::vector<FamilySupport> support(const evidence::Evidence& evidence);

}  // namespace vestige::audit
