// Results for people at a terminal, as wide as it is; 100 columns where there is none.
#pragma once

#include <string>
#include <vector>

#include "vestige/audit/audit.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"
#include "vestige/report/results.h"

namespace vestige::report {

inline constexpr std::size_t kTerminalWidth = 100;

/// Four decimals; whole numbers without, very small and large ones with an exponent; "-" for NaN.
std::string table_number(double value);

/// Breaks text at spaces so that no line is longer than `width`; continuation lines start with
/// `indent`.
std::string wrap(const std::string& text, const std::string& first, const std::string& indent,
                 std::size_t width = kTerminalWidth);

/// A line that ends in "..." where it was longer than `width`.
std::string one_line(const std::string& text, std::size_t width);

/// "40 original, 40 retrained, finetune x 40; forget 1000 rows, ..."
std::string evidence_summary(const evidence::Evidence& evidence);

/// The audit's tables and sentences. Without `full` each metric is shown in its first setting, and
/// in the first one that has a retrained control beside it.
std::string audit_table(const evidence::Evidence& evidence, const evidence::Findings& findings,
                        const Results& results, bool full = false,
                        std::size_t width = kTerminalWidth);
/// The same from results alone, without what only the evidence knows (its models, its findings).
std::string results_table(const Results& results, bool full = false,
                          std::size_t width = kTerminalWidth);

/// What the evidence lacks for a metric group, and what it would take; empty: nothing to say.
std::string support_text(const audit::FamilySupport& line);

/// The text of `vestige inspect`; `power` is what verdicts could show, in a sentence, or nothing.
std::string inspect_text(const evidence::Evidence& evidence, const evidence::Findings& findings,
                         const std::vector<audit::FamilySupport>& support,
                         const std::string& power = {}, std::size_t width = kTerminalWidth);

}  // namespace vestige::report
