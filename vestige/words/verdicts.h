// Verdicts as sentences: the conclusion first, then the numbers, then the limits.
#pragma once

#include <string>
#include <vector>

#include "vestige/result/verdict.h"

namespace vestige::words {

/// "TRACES REMAIN".
std::string word(result::Word word);
/// "shown", "excluded", "undecided", "not tested".
std::string outcome(result::Outcome outcome);

/// What the verdict rests on, in a phrase: "its confidence ... (0.09; retrained 0.00)".
std::string why(const result::Verdict& verdict);
/// The verdict as a paragraph: "finetune: traces remain. It knows ...".
std::string sentence(const result::Verdict& verdict);
/// The same without the method, for places where a heading names it.
std::string body(const result::Verdict& verdict);
/// What this evidence cannot show.
std::string limits(const result::Verdict& verdict);
/// What was compared and how: "(method - retrained) on forget minus ...: 400 forget examples ...".
std::string compared(const result::VerdictTest& test);

/// "it returns under int4 (0.42 of ...), relearn.8 (0.31)"; empty without any.
std::string additions(const std::vector<result::VerdictAddition>& additions);

/// Why a difference is shown although every primary test lies inside the margin, for the summary
/// plot; empty where word and plot agree by themselves.
std::string picture_note(const result::Verdict& verdict);

}  // namespace vestige::words
