// Load, audit, write: what the command line, the demo and experiments share.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "vestige/audit/audit.h"
#include "vestige/base/file.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/results.h"

namespace vestige::report {

struct AuditRun {
  std::string command;                 ///< as the results say it
  audit::AuditOptions options;         ///< its context also reads the evidence
  std::string title = {};              ///< of the page; empty: the answer
  evidence::ReadOptions reading = {};  ///< which models; used where the evidence is loaded here
  std::optional<std::string> requests = {};  ///< requests.csv where the evidence is not on disk
  /// Called before anything is measured; may refuse.
  std::function<void(const evidence::Evidence&)> before = {};
};

/// An audit with all that can be written about it.
struct Audited {
  evidence::Evidence evidence;
  evidence::Findings findings;
  audit::AuditResult measured;
  Results results;
};

/// Audits evidence that is there already; its seconds begin at `start`.
Audited run_audit(evidence::Evidence evidence, evidence::Findings findings, const AuditRun& run,
                  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now());

/// Loads and audits a folder or a file.
Audited run_audit(const std::filesystem::path& path, const AuditRun& run);

/// results.json and samples.csv.
void add_numbers(const Audited& audited, FileSet& files);

/// These, report.html and plots/.
void add_files(const Audited& audited, FileSet& files, const Context& context = {});

}  // namespace vestige::report
