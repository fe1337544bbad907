// The frame of pages without scripts: comparisons, histories and dossiers.
#pragma once

#include <string>

namespace vestige::practice {

/// A whole HTML file in the report's style; `body` is HTML, `title` is text.
std::string plain_page(const std::string& title, const std::string& body);

/// Text in HTML, whatever its bytes are.
std::string legible_html(const std::string& text);

}  // namespace vestige::practice
