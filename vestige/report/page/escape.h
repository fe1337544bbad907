// Text that stays text in every format that the report writes.
#pragma once

#include <string>
#include <string_view>

#include "vestige/base/json.h"

namespace vestige::report {

/// In HTML: < > & " are no markup.
std::string html_text(std::string_view text);

/// In Markdown: in a table cell, and where HTML is allowed; one line.
std::string markdown_text(std::string_view text);

/// In LaTeX: \ { } $ & # ^ _ ~ % < > are commands no more; one line.
std::string latex_text(std::string_view text);

/// A field of RFC 4180 text, in quotes where it needs them. A text that a spreadsheet would take
/// for a formula (it begins with =, +, @ or -, and is no number) gets an apostrophe in front, and
/// so does one that begins with apostrophes and such a character, so that one apostrophe can be
/// taken off.
std::string csv_field(std::string_view text);

/// What csv_field was given, from the text of the field without its quotes: without the apostrophe
/// that keeps a spreadsheet from taking a text for a formula.
std::string_view without_guard(std::string_view field);

/// A file of XML 1.0 whose texts may hold anything: characters that XML does not have, and bytes
/// that are no UTF-8, are replaced.
std::string xml_legible(const std::string& xml);

/// JSON that cannot end the script element that holds it, whatever its texts are: '<', '>' and '&'
/// become escapes, and so do the two line ends that are none in JSON. Bytes that are no UTF-8 are
/// replaced.
std::string inert_json(const Json& json);

}  // namespace vestige::report
