// The audit: every metric that the evidence supports, on every method and every control.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/remembered.h"
#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/base/context.h"
#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/result.h"
#include "vestige/result/remark.h"

namespace vestige::audit {

struct AuditOptions {
  std::vector<std::string> metrics;  ///< families or ids; empty: all that evidence supports
  std::uint64_t seed = 1;            ///< root of every random draw
  Json options = Json::object();     ///< by key: {"iam.levels": 50}; the others have defaults
  Context context = {};              ///< threads, memory and progress; its cache is the audit's own
};

using result::Remark;
using result::Skipped;

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
  result::Reason cost{};                 ///< what takes so long, or why it is left out
};

/// With default options.
std::vector<FamilySupport> support(const evidence::Evidence& evidence, const Context& context = {});

}  // namespace vestige::audit
