// Requests for spreadsheets, for the terminal and for the page.
#include "vestige/report/requests_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/page/escape.h"
#include "vestige/result/codec.h"
#include "vestige/words/requests.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using result::Code;
using result::MethodRequests;
using result::Requests;
using result::RequestVerdict;
using result::RequestWord;

constexpr std::size_t kWorstRequests = 5, kMostNearPairs = 5;

std::string request_cell(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::int64_t with_word(const MethodRequests& method, RequestWord word) {
  return std::count_if(method.requests.begin(), method.requests.end(),
                       [&](const RequestVerdict& own) { return own.word == word; });
}

std::string near_duplicates_text(const std::vector<result::NearDuplicate>& found) {
  if (found.empty()) return {};
  std::vector<std::string> pairs;
  for (std::size_t place = 0; place < std::min(found.size(), kMostNearPairs); ++place) {
    pairs.push_back(fmt::format("({}, {})", found[place].forget, found[place].retain));
  }
  const std::size_t more = found.size() - pairs.size();
  return fmt::format("  {}\n", words::sentence(result::reason(Code::near_duplicates_kept,
                                                              found.size(), pairs, more)));
}

}  // namespace

std::string requests_csv(const Requests& requests) {
  std::string text =
      "method,request,subject,date,examples,word,difference,share,p,adjusted,power\n";
  for (const MethodRequests& method : requests.methods) {
    for (const RequestVerdict& own : method.requests) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(method.method),
                          csv_field(own.request), csv_field(own.subject), csv_field(own.date),
                          own.examples, result::name(own.word), request_cell(own.difference),
                          request_cell(own.share), request_cell(own.p), request_cell(own.adjusted),
                          request_cell(own.power));
    }
  }
  return text;
}

std::string requests_text(const std::optional<Requests>& requests) {
  if (!requests) return {};
  std::string text = "Requests\n";
  const auto line = [&text](const char* indent, const result::Reason& reason) {
    text += fmt::format("{}{}\n", indent, words::text(reason));
  };
  if (!requests->missing.empty()) {
    line("  ", result::reason(Code::requests_not_tested, requests->missing));
  }
  for (const MethodRequests& method : requests->methods) {
    line("  ", result::reason(Code::requests_of_method, method.method,
                              with_word(method, RequestWord::traces_remain),
                              with_word(method, RequestWord::not_decided),
                              with_word(method, RequestWord::not_tested),
                              with_word(method, RequestWord::no_trace_detected),
                              method.examples_needed.value_or(0)));
    if (!method.missing.empty()) {
      line("    ", result::reason(Code::requests_not_tested, method.missing));
    }
    std::size_t shown = 0;
    for (const RequestVerdict& own : method.requests) {
      if (own.word != RequestWord::traces_remain || ++shown > kWorstRequests) break;
      line("    ", result::reason(Code::request_with_traces, own.request, own.examples, own.share,
                                  own.adjusted));
    }
  }
  return text + near_duplicates_text(requests->near_duplicates);
}

Json requests_page(const Requests& requests) {
  Json page = result::json_of(requests);
  page["missing"] = words::sentence(requests.missing);
  page["how"] = words::sentence(result::reason(requests.signal == result::RequestSignal::likelihood
                                                   ? Code::requests_by_likelihood
                                                   : Code::requests_by_probability,
                                               requests.level, requests.power));
  for (std::size_t i = 0; i < requests.methods.size(); ++i) {
    const MethodRequests& method = requests.methods[i];
    Json& shown = page["methods"][i];
    shown["missing"] = words::sentence(method.missing);
    for (std::size_t k = 0; k < method.requests.size(); ++k) {
      shown["requests"][k]["word"] = words::word(method.requests[k].word);
    }
  }
  return page;
}

}  // namespace vestige::report
