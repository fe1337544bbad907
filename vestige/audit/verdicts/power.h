// What evidence could show before any method is judged: the smallest trace that would be detected,
// and how many models and examples it takes to conclude FORGOTTEN.
#pragma once

#include <limits>
#include <optional>

#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/evidence/evidence.h"
#include "vestige/result/reason.h"

namespace vestige::audit {

struct Power {
  std::size_t models = 0;  ///< retrained models; a method is taken to have as many
  std::size_t forget_examples = 0;
  /// Share of the original's gap detected 9 times in 10; above 1: not even an untouched original
  /// is.
  double smallest_trace = std::numeric_limits<double>::infinity();
  bool can_show_forgetting = false;  ///< 8 times in 10, if nothing is left
  std::size_t models_needed = 0;     ///< retrained, and as many unlearned; with these examples
  std::size_t forget_needed = 0;     ///< forget examples, with these models and `unseen_needed`
  std::size_t unseen_needed = 0;     ///< unseen examples
  bool tells_original = true;        ///< the original differs from retrained by this evidence
};

/// From originals and retrained models by the primary signals; nothing without both or without
/// unseen examples.
std::optional<Power> power(const evidence::Evidence& evidence, const VerdictOptions& options = {});

/// The same for `vestige inspect`.
result::Reasons reasons(const Power& power);

/// What the tests by unseen examples of a verdict could have detected; empty without any.
result::Reason detectable(const Verdict& verdict, const VerdictOptions& options);

}  // namespace vestige::audit
