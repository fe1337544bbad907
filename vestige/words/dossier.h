// README.txt of a dossier: for people who file it and never saw a model.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vestige/result/verdict.h"

namespace vestige::words {

/// The policy that a dossier holds.
struct LetterPolicy {
  std::string name{};
  bool in_results = false;  ///< it was checked by the audit itself, not afterwards
  bool passed = false;
};

inline constexpr double kNotStated = std::numeric_limits<double>::quiet_NaN();

struct Letter {
  std::string answer{};  ///< what all verdicts together say
  const std::vector<result::Verdict>* verdicts = nullptr;
  std::string grade{}, grade_reason{};
  /// Shares of the original-retrained difference, and accuracy; NaN where the results do not state
  /// them.
  double margin = kNotStated, smallest_effect = kNotStated, utility_margin = kNotStated;
  std::optional<LetterPolicy> policy{};
  std::string signer{};             ///< empty: not signed
  std::string measured{}, filed{};  ///< UTC, ISO 8601
  std::string program{}, version{}, commit{};
  bool evidence_inside = false;
};

std::string dossier_letter(const Letter& letter);

}  // namespace vestige::words
