// Requests for spreadsheets and for the terminal.
#include "vestige/report/requests_views.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "vestige/report/escape.h"
#include "vestige/report/json_fields.h"

namespace vestige::report {
namespace {

constexpr std::size_t kWorstRequests = 5, kMostTwins = 5;

std::string cell(const Json& object, const char* key) {
  const double value = number_of(object, key);
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

std::string counted_rows(std::uint64_t count) {
  return fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string requests_csv(const Json& requests) {
  std::string text = "method,request,subject,date,rows,word,difference,share,p,adjusted,power\n";
  for (const Json& method : list_of(requests, "methods")) {
    for (const Json& own : list_of(method, "requests")) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(text_of(method, "method")),
                      csv_field(text_of(own, "request")), csv_field(text_of(own, "subject")),
                      csv_field(text_of(own, "date")), whole_of(own, "rows"), text_of(own, "word"),
                      cell(own, "difference"), cell(own, "share"), cell(own, "p"),
                      cell(own, "adjusted"), cell(own, "power"));
    }
  }
  return text;
}

std::string requests_text(const Json& requests) {
  if (requests.is_null()) return {};
  std::string text = "Requests\n";
  if (!text_of(requests, "missing").empty()) {
    text += fmt::format("  not judged: {}\n", text_of(requests, "missing"));
  }
  for (const Json& method : list_of(requests, "methods")) {
    std::map<std::string, std::size_t> counts;
    for (const Json& own : list_of(method, "requests")) ++counts[text_of(own, "word")];
    text += fmt::format("  {}:", text_of(method, "method"));
    const char* comma = "";
    for (const auto& [word, count] : counts) {
      text += fmt::format("{} {} {}", comma, count, word);
      comma = ",";
    }
    const std::uint64_t needed = whole_of(method, "rows_needed");
    text += needed == 0 ? "\n" : fmt::format("; a request needs about {}\n", counted_rows(needed));
    std::size_t shown = 0;
    for (const Json& own : list_of(method, "requests")) {
      if (text_of(own, "word") != "TRACES REMAIN" || ++shown > kWorstRequests) break;
      text += fmt::format("    {} ({}): {:.0f} % left, adjusted p {:.2g}\n",
                          text_of(own, "request"), counted_rows(whole_of(own, "rows")),
                          100 * number_of(own, "share"), number_of(own, "adjusted"));
    }
  }
  const Json& twins = list_of(requests, "near_duplicates");
  if (!twins.empty()) {
    text += fmt::format(
        "  {} forget row{} nearly equal a retain row and cannot be forgotten while it stays:",
        twins.size(), twins.size() == 1 ? "" : "s");
    for (std::size_t place = 0; place < twins.size() && place < kMostTwins; ++place) {
      text += fmt::format("{} {} ~ retain {}", place == 0 ? "" : ",",
                          whole_of(twins[place], "forget"), whole_of(twins[place], "retain"));
    }
    text += twins.size() > kMostTwins ? ", ...\n" : "\n";
  }
  return text;
}

}  // namespace vestige::report
