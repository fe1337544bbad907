// Template, style, scripts and data in one file.
#include "vestige/report/page/html.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/base/base64.h"
#include "vestige/base/sha256.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/page/first_screen.h"
#include "vestige/report/page/page_data.h"
#include "vestige/report/page/web_files.h"

namespace vestige::report {
namespace {

constexpr std::string_view kReload = "<meta http-equiv=\"refresh\" content=\"20\">\n";

/// What a policy names a script by.
std::string source_of(std::string_view script) {
  const std::string digits = sha256(std::as_bytes(std::span(script)));
  std::vector<std::byte> digest;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    digest.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return fmt::format("'sha256-{}'", base64(digest));
}

/// Puts texts into the {{places}} of a template in one pass, so that no text is looked at twice.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string_view>>& places) {
  std::string result;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == text.npos ? text.npos : text.find("}}", open);
    if (close == text.npos) return result.append(text);
    result.append(text.substr(0, open));
    const std::string_view name = text.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : places) {
      if (key == name) result.append(value);
    }
    text.remove_prefix(close + 2);
  }
}

}  // namespace

std::string html(const Results& results) {
  Json data = page_data(results);
  data["plots_built"] = !web_vega().empty();
  // Vega sets styles of elements, hence unsafe-inline for styles; nothing may be fetched or sent.
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {} {}; style-src 'unsafe-inline'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'",
      source_of(web_script()), source_of(web_vega()));
  // Names of files may hold bytes that are no UTF-8.
  const auto legible = [](const std::string& text) {
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
        .get<std::string>();
  };
  const std::string title = legible(page_title(results) + " \u2013 Vestige");
  const std::string first = legible(first_screen(results));
  return filled(web_template(), {{"policy", policy},
                                 {"title", html_text(title)},
                                 {"reload", results.run.running ? kReload : ""},
                                 {"style", web_style()},
                                 {"first", first},
                                 {"data", inert_json(data)},
                                 {"vega", web_vega()},
                                 {"script", web_script()}});
}

}  // namespace vestige::report
