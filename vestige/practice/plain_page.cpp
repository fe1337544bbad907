// Title, style and body.
#include "vestige/practice/plain_page.h"

#include "vestige/base/json.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/page/web_files.h"

namespace vestige::practice {

std::string legible_html(const std::string& text) {
  // Names of files may hold bytes that are no UTF-8.
  return report::html_text(
      Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
          .get<std::string>());
}

std::string plain_page(const std::string& title, const std::string& body) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
  page += legible_html(title) + " \u2013 Vestige</title>\n<style>";
  page += report::web_style();
  // The report gives its summary plots their width by its own tables.
  page +=
      "\n.moves { width: 30rem; max-width: 100%; }\n.moves svg { display: block; width: 100%; }\n"
      "td { vertical-align: top; padding-right: 1rem; }\npre { white-space: pre-wrap; "
      "overflow-wrap: anywhere; }\n";
  page +=
      "</style>\n</head>\n<body>\n<header><h1>" + legible_html(title) + "</h1></header>\n<main>";
  return page + body + "</main>\n</body>\n</html>\n";
}

}  // namespace vestige::practice
