// Runs of methods that gave no model: they belong into every table beside those that did.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vestige::study {

/// One method in one arm (all repeats together) of which some runs failed.
struct FailedRuns {
  std::string arm{};
  std::string method{};    ///< label, or the role of trained models
  std::size_t runs = 0;    ///< planned
  std::size_t failed = 0;  ///< of these
  std::string why{};       ///< the most frequent reason
};

/// "scrub, arm main: 2 of 6 runs failed: a weight is not finite"
std::string sentence(const FailedRuns& runs);

}  // namespace vestige::study
