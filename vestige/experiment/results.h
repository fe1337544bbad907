// What an experiment leaves behind: results.json, the page, its plots and the tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/experiment/document.h"

namespace vestige::experiment {

/// An experiment's results, written.
struct WrittenResults {
  study::Study study;
  std::string json;   ///< the text of results.json
  std::string brief;  ///< the answer in some lines, for the terminal
};

/// Writes everything into `folder`.
WrittenResults write_results(const Experiment& experiment, const std::vector<VariantAudit>& audits,
                             pool::Store& store, const std::filesystem::path& folder,
                             const RunFacts& facts);

/// The same of any experiment of which there are audits.
WrittenResults write_results(const Outline& outline, const std::vector<study::Check>& checks,
                             const std::vector<result::FailedRuns>& failed,
                             const std::vector<result::MethodCost>& costs,
                             const std::vector<VariantAudit>& audits,
                             const std::filesystem::path& folder, const RunFacts& facts);

/// Rewrites the page while the experiment goes on: the numbers so far under a title that says how
/// many audits there are. It reloads itself; the last one, of write_results, does not.
void write_page_so_far(const Experiment& experiment, const std::vector<VariantAudit>& audits,
                       const std::filesystem::path& folder, const RunFacts& facts);

}  // namespace vestige::experiment
