// Everything that the audits of an experiment say together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vestige/study/comparison.h"
#include "vestige/study/controls_table.h"
#include "vestige/study/paper_checks.h"
#include "vestige/study/results_table.h"
#include "vestige/study/variance.h"

namespace vestige::study {

using result::FailedRuns;
using result::Study;

struct StudyOptions {
  ComparisonOptions comparison{};
  VarianceOptions variance{};
  std::uint64_t seed = 1;
  /// How far each method moved its models' answers on forget: the mean total variation distance
  /// between the probabilities before and after. Methods that are not in it are not judged by it.
  std::map<std::string, double> moved{};
};

/// A method that moved answers by less left the model as it was: a finding about it is not decided.
constexpr double kLeastMove = 0.005;

Study study(const std::vector<StudyRow>& rows, const std::vector<Check>& checks,
            const StudyOptions& options = {}, const std::vector<FailedRuns>& failed_runs = {});

}  // namespace vestige::study
