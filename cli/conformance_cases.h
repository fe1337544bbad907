// The cases below a folder and how each ended, as both programs share it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::cli {

struct CaseOutcome {
  std::filesystem::path path;  ///< the case.json
  audit::ConformanceOutcome outcome;
};

/// passed, failed or skipped.
const char* verdict_word(audit::ConformanceOutcome::Verdict verdict);

/// Runs every case.json below `folder`, at any depth, in the order of their paths. A case that
/// cannot be read has failed; one without a runner is skipped.
std::vector<CaseOutcome> run_cases(const std::filesystem::path& folder,
                                   std::span<const audit::ConformanceRunner> runners);

/// An array of {case, metric, name, verdict, detail}.
Json cases_json(std::span<const CaseOutcome> outcomes);
std::vector<CaseOutcome> read_cases_json(const Json& json);

}  // namespace vestige::cli
