// One code with its text. Texts are templates:
//   {name}            the argument: numbers with four digits, counts with thousands separators,
//                     lists joined by ", ", reasons joined by "; "
//   {name:.3f}        a number in this format of fmt
//   {name:percent}    0.123 as "12 %"
//   {name:about}      a count to two digits: 2383 as "2,400"
//   {name:name}       a metric's plain name instead of its id
//   {name:and}, {name:or}, {name:some}  a list as "a, b and c", "a, b or c", "a, b, c and 7 more"
//   {name#example}    a count with its noun: "1 example", "2 examples"; {n#index/indices}
//   {name?is/are}     the word for one, or for any other number
//   {+name}...{/}     only if the argument is there: a number that is not NaN, a count above 0,
//                     a text or list that is not empty; {-name}...{/} only if it is not
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vestige/result/reason.h"

namespace vestige::words {

struct Entry {
  result::Code code;
  std::string_view text;
};
using Entries = std::vector<Entry>;

/// One list per topic; words.cpp joins them. A test sees that every code has exactly one text.
Entries general_words();
Entries evidence_words();
Entries missing_words();
Entries note_words();
Entries interval_words();
Entries control_words();
Entries verdict_words();
Entries grade_words();
Entries power_words();
Entries request_words();
Entries policy_words();
Entries import_words();
Entries dossier_words();
Entries compare_words();
Entries study_words();
Entries check_words();

/// The template of a code. Internal error if it has none.
std::string_view template_of(result::Code code);

/// Fills a template from a reason's arguments. A name that the code does not have is an internal
/// error.
std::string fill(std::string_view text, const result::Reason& reason);

}  // namespace vestige::words
