// Escaping, in one place.
#include "vestige/report/page/escape.h"

#include <fmt/format.h>

namespace vestige::report {

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    if (character == '\n' || character == '\r') {
      safe += ' ';
    } else if (character == '<' || character == '>' || character == '&') {
      safe += html_text(std::string_view(&character, 1));
    } else {
      if (std::string_view("|*_`[]\\#").find(character) != std::string_view::npos) safe += '\\';
      safe += character;
    }
  }
  return safe;
}

std::string latex_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '\\':
        safe += "\\textbackslash{}";
        break;
      case '~':
        safe += "\\textasciitilde{}";
        break;
      case '^':
        safe += "\\textasciicircum{}";
        break;
      case '<':
        safe += "\\textless{}";
        break;
      case '>':
        safe += "\\textgreater{}";
        break;
      case '{':
      case '}':
      case '$':
      case '&':
      case '#':
      case '_':
      case '%':
        safe += '\\';
        safe += character;
        break;
      case '\n':
      case '\r':
        safe += ' ';
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

std::string csv_field(std::string_view text) {
  const auto blank = [](char character) { return character == ' ' || character == '\t'; };
  // Readers take blanks around a field without quotes away.
  const bool outside = !text.empty() && (blank(text.front()) || blank(text.back()));
  if (!outside && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character;
    if (character == '"') quoted += '"';
  }
  return quoted + '"';
}

std::string inert_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (text[i] == '<' || text[i] == '>' || text[i] == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(text[i]));
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      safe += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += text[i];
    }
  }
  return safe;
}

}  // namespace vestige::report
