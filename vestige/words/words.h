// Every sentence the program says, in English: a reason becomes text here and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/result/reason.h"

namespace vestige::words {

/// The reason as text, without a full stop at its end; empty for no reason.
std::string text(const result::Reason& reason);
/// Several reasons, one after another: "one; two".
std::string text(const result::Reasons& reasons);
/// The same as sentences: capital letter first, full stop last. Empty for no reason.
std::string sentence(const result::Reason& reason);
std::string sentences(const result::Reasons& reasons);

/// Capital first letter and full stop, where they are missing.
std::string as_sentence(std::string text);

/// Adds "text" to every reason (an object with "code" and "arguments") below `json`, so that
/// readers without this program can read results.json.
void add_texts(Json& json);

}  // namespace vestige::words
