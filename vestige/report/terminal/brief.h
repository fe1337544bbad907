// An audit in at most 40 lines: the answer, its grade, a summary plot, what cannot be read here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/report/results.h"

namespace vestige::report {

/// How wide, and with which characters.
struct BriefStyle {
  std::size_t width = 100;
  bool colour = false;
  bool ascii = false;  ///< no character beyond ASCII
};

/// The style for standard output: its terminal's width from 60 columns up, colour unless NO_COLOR,
/// ASCII where the locale is not UTF-8. Without a terminal: 100 columns of UTF-8 without colour.
BriefStyle terminal_style();

/// What cannot be read here, one sentence for each cause and family: "MIAU, 8 metrics: ...".
std::vector<std::string> unreadable(const Results& results);

/// The margins that the verdicts rest on; empty where there is no verdict, or no margin is stated.
std::string margins_text(const Results& results);

/// One verdict: its sentence and its tests.
std::string verdict_text(const audit::Verdict& verdict, std::size_t width = 100);

/// At most 40 lines, of which the caller adds one: where the page is.
std::string audit_brief(const Results& results, const BriefStyle& style);

}  // namespace vestige::report
