// Where the noise comes from: another split, another training, another run of the method, another
// seed of the attack.
#pragma once

#include <string>
#include <vector>

#include "vestige/result/study.h"
#include "vestige/study/measure.h"

namespace vestige::study {

using result::Level;
using result::LevelShare;
using result::VarianceRow;

struct VarianceOptions {
  std::vector<std::string> audits{};  ///< empty: the first audit of the rows
  bool every_setting = false;         ///< false: the first setting of each metric
};

std::vector<VarianceRow> variance_breakdown(const std::vector<StudyRow>& rows,
                                            const VarianceOptions& options = {});

}  // namespace vestige::study
