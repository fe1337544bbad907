// Everything that the audits of an experiment say together, and its JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/study/comparison.h"
#include "vestige/study/controls_table.h"
#include "vestige/study/failed_runs.h"
#include "vestige/study/paper_checks.h"
#include "vestige/study/results_table.h"
#include "vestige/study/variance.h"

namespace vestige::study {

struct Study {
  std::vector<MethodResult> results{};
  std::vector<ControlRow> controls{};
  std::vector<std::string> failed{};  ///< failed_controls(controls)
  MethodComparison comparison{};
  std::vector<VarianceRow> variance{};
  std::vector<CheckResult> findings{};
  std::vector<FailedRuns> failed_runs{};  ///< what methods could not do
};

struct StudyOptions {
  ComparisonOptions comparison{};
  VarianceOptions variance{};
  std::uint64_t seed = 1;
};

Study study(const std::vector<StudyRow>& rows, const std::vector<Check>& checks,
            const StudyOptions& options = {}, const std::vector<FailedRuns>& failed_runs = {});

/// Keys `findings`, `methods`, `controls`, `failed_controls`, `failed_runs`, `comparison`,
/// `variance` of the `bench` object of results.json (docs/experiments/results.md).
Json summary_json(const Study& study);

}  // namespace vestige::study
