// What evidence could show before any method is judged: the smallest trace that would be seen, and
// how many models and rows it takes to show forgetting within the margin.
#pragma once

#include <optional>
#include <string>

#include "vestige/audit/verdicts.h"
#include "vestige/evidence/evidence.h"

namespace vestige::audit {

struct Power {
  std::size_t models = 0;            ///< retrained models; a method is taken to have as many
  std::size_t forget_rows = 0;       ///< target rows
  double smallest_trace = 0;         ///< share of the original's gap that is seen in 9 of 10 cases
  bool can_show_forgetting = false;  ///< in 8 of 10 cases, if nothing is left
  std::size_t models_needed = 0;     ///< a side, with these rows
  std::size_t rows_needed = 0;  ///< forget rows, with these models and as many more unseen rows
};

/// From originals and retrained models by the core signal with the least power; nothing without
/// both or without rows that nobody saw.
std::optional<Power> power(const evidence::Evidence& evidence, const VerdictOptions& options = {});

/// The same as a sentence for `vestige inspect`.
std::string sentence(const Power& power);

}  // namespace vestige::audit
