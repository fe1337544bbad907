// How often the audits of an experiment called a metric unreliable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/study/measure.h"

namespace vestige::study {

struct Reliability {
  std::size_t audits = 0;      ///< (variant, split seed, attack seed) in which it could be said
  std::size_t unreliable = 0;  ///< of these
  std::size_t measured = 0;    ///< audits that measured a method, whether they could judge or not
  double share = metrics::kUndefined;
  result::Reasons notes{};  ///< of the first marked row: why
};

/// The audits' own marks on methods. An audit without a mark counts only if it had what it takes to
/// judge (an original, a retrained model, intervals); one that measured no method is judged here,
/// by audit::discriminate of its first original and first retrained model. `variant` empty: all.
Reliability unreliable_share(const std::vector<StudyRow>& rows, const Measure& measure,
                             const std::string& variant, std::uint64_t seed);

}  // namespace vestige::study
