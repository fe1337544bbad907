// Where the noise comes from: another split, another training, another run of the method, another
// seed of the attack.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/study/measure.h"

namespace vestige::study {

struct LevelShare {
  std::string level{};     ///< "split", "training", "unlearning", "attack"
  std::size_t groups = 0;  ///< how many there were, all parents together
  bool estimable = false;
  double component = metrics::kUndefined;  ///< variance; 0 where the estimate was negative
  double share = metrics::kUndefined;      ///< of the total variance
  bool negative = false;                   ///< the estimate was below 0
  std::vector<std::string> includes{};     ///< levels that cannot be told apart from it
};

struct VarianceRow {
  Measure measure{};
  std::string arm{};
  std::string method{};  ///< "*": mean of the components over the methods
  std::size_t n = 0;
  double mean = metrics::kUndefined;
  double total = metrics::kUndefined;  ///< variance of one measurement
  std::vector<LevelShare> levels{};    ///< split, training, unlearning, attack
  std::string noisiest{};              ///< level with the largest share; empty if none is estimable
  std::string source{};                ///< where the noise comes from, in words
  std::string sentence{};              ///< the same with metric, setting, arm and method
};

struct VarianceOptions {
  std::vector<std::string> audits{};  ///< empty: the first audit of the rows
  bool every_setting = false;         ///< false: the first setting of each metric
};

std::vector<VarianceRow> variance_breakdown(const std::vector<StudyRow>& rows,
                                            const VarianceOptions& options = {});

}  // namespace vestige::study
