// Which method is better: paired tests over blocks, rankings and how stable they are, and where
// metrics disagree about methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/result/study_comparison.h"
#include "vestige/study/controls_table.h"
#include "vestige/study/measure.h"

namespace vestige::study {

struct ComparisonOptions {
  std::vector<std::string> audits{};  ///< empty: the first audit of the rows
  bool every_setting = false;         ///< false: the first setting of each metric
  std::size_t resamples = 2000;       ///< of blocks, for ranks
  std::uint64_t seed = 1;
};

using result::Agreement;
using result::MethodComparison;
using result::MethodPair;
using result::MethodRank;
using result::MetricComparison;

/// Blocks are (variant, split seed, original); of pooled rows (variant, split seed). Values are
/// means over runs and attack seeds within a block, and over variants that measure the same models.
/// Metrics rank nobody in variants in which `controls` say that they failed.
MethodComparison compare_methods(const std::vector<StudyRow>& rows,
                                 const ComparisonOptions& options = {},
                                 const std::vector<ControlRow>& controls = {});

}  // namespace vestige::study
