// Escaping, in one place.
#include "vestige/report/page/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

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

namespace {

bool is_formula(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of('\''), text.size());
  const std::string_view rest = text.substr(start);
  if (rest.empty() || std::string_view("=+@-\t\r").find(rest.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0;
  const char* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, number);
  return start > 0 || error != std::errc() || stop != end;
}

}  // namespace

std::string_view without_guard(std::string_view field) {
  return field.starts_with('\'') && is_formula(field) ? field.substr(1) : field;
}

std::string csv_field(std::string_view field) {
  const std::string text = (is_formula(field) ? "'" : "") + std::string(field);
  const auto blank = [](char character) { return character == ' ' || character == '\t'; };
  // Readers take blanks around a field without quotes away.
  const bool outside = !text.empty() && (blank(text.front()) || blank(text.back()));
  if (!outside && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character;
    if (character == '"') quoted += '"';
  }
  return quoted + '"';
}

std::string xml_legible(const std::string& xml) {
  const std::string utf8 =
      Json::parse(Json(xml).dump(-1, ' ', false, Json::error_handler_t::replace))
          .get<std::string>();
  std::string kept;
  kept.reserve(utf8.size());
  for (const char letter : utf8) {
    const auto code = static_cast<unsigned char>(letter);
    kept += code >= 0x20 || letter == '\t' || letter == '\n' ? letter : ' ';
  }
  // U+FFFE and U+FFFF are no characters of XML.
  for (const std::string_view odd : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = 0; (at = kept.find(odd)) != std::string::npos;) kept.replace(at, 3, "?");
  }
  return kept;
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
