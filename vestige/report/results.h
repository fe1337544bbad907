// Results in memory: what every view of them takes, whoever measured them. The page, the tables and
// results.json are all written from this; only files of earlier runs are read back into it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vestige/audit/audit.h"
#include "vestige/base/json.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"
#include "vestige/result/margins.h"
#include "vestige/result/policy.h"
#include "vestige/result/requests.h"
#include "vestige/result/run.h"
#include "vestige/result/study_experiment.h"
#include "vestige/study/rows.h"

namespace vestige::report {

using result::Run;

/// Fields as in docs/reference/audit-output.md. What no view computes with stays as it stands in
/// the file.
struct Results {
  Json tool = Json::object();
  Run run{};
  Json evidence = Json::object();  ///< path, kind, models and rows, grade, findings
  Json inputs = Json::array();     ///< path, SHA-256 and shape of every file
  std::vector<result::Remark> remarks{};
  std::vector<result::Skipped> skipped{};
  /// Without terms and values by model, which are in no file: what is measured now and what was
  /// measured earlier says the same. An audit's rows have no place in an experiment.
  std::vector<study::StudyRow> rows{};
  std::vector<metrics::Series> series{};
  std::vector<audit::Verdict> verdicts{};
  audit::RememberedRows remembered{};
  Json pictures = Json::array();  ///< of remembered rows (report/pictures.h)
  Json texts = Json::array();     ///< of remembered rows of language models (report/texts.h)
  Json correlations = Json::object();
  std::optional<result::SampleFile> samples{};  ///< none where the results do not say
  std::optional<result::Requests> requests{};   ///< verdicts per erasure request
  std::optional<result::Gate> gate{};           ///< how the rules of a policy ended
  std::optional<result::Experiment> bench{};    ///< docs/experiments/results.md; none for an audit
};

/// This program: name, version, commit, compiler, build type.
Json this_tool();

/// What was found in the evidence: severity, code (docs/reference/evidence.md), file, model, text.
Json findings_json(const evidence::Findings& findings);

/// The margins that the verdicts were made with; NaN where the results do not state one.
result::Margins margins_of(const Results& results);

/// The results of one audit.
Results audit_results(const evidence::Evidence& evidence, const evidence::Findings& findings,
                      const audit::AuditResult& measured, const Run& run);

}  // namespace vestige::report
