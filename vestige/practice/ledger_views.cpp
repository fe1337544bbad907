// A ledger as text and as a page of plots.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/practice/ledger.h"
#include "vestige/practice/plain_page.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/summary_plot.h"
#include "vestige/words/ledger.h"
#include "vestige/words/numbers.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::practice {
namespace {

using report::list_of;
using report::number_of;
using report::text_of;
using result::Code;
using result::reason;

constexpr double kPlotWidth = 640, kPlotHeight = 150, kMargin = 36;
constexpr double kWords = 80;  // for "retrained" and "original" at the end of their lines
constexpr double kLowest = -0.5, kHighest = 1.25;
constexpr const char* kColours[] = {"#1d4f73", "#9c3a00", "#00664d", "#6f4697"};

std::string method_of(const Json& verdict) {
  const std::string variant = text_of(verdict, "variant");
  return variant.empty() ? text_of(verdict, "method") : variant + "/" + text_of(verdict, "method");
}

double y_of(double value) {
  const double inside = std::clamp(value, kLowest, kHighest);
  return 10 + (kHighest - inside) / (kHighest - kLowest) * (kPlotHeight - 20);
}

double x_of(std::size_t place, std::size_t count) {
  const double step =
      (kPlotWidth - kMargin - kWords) / std::max(1.0, static_cast<double>(count) - 1);
  return kMargin + static_cast<double>(place) * step;
}

/// A mark of one audit.
struct Point {
  std::size_t place = 0;
  double value = metrics::kUndefined, lower = metrics::kUndefined, upper = metrics::kUndefined;
};

/// `aside` keeps curves apart that would hide each other.
std::string curve_svg(const std::vector<Point>& points, std::size_t count, const char* colour,
                      double aside) {
  std::string svg, path;
  for (const Point& point : points) {
    const double x = x_of(point.place, count) + aside;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y_of(point.value));
    if (!std::isnan(point.lower)) {
      svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"{3}\"/>", x,
                         y_of(point.lower), y_of(point.upper), colour);
    }
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>", x,
                       y_of(point.value), colour);
  }
  return svg + fmt::format("<path d=\"{}\" stroke=\"{}\" fill=\"none\"/>", path, colour);
}

/// One method over all audits: a curve per test, the audits' numbers below, words as titles.
std::string method_svg(const Ledger& ledger, const std::string& method,
                       const std::vector<std::string>& tests) {
  const std::size_t count = ledger.entries.size();
  std::string svg;
  for (const double level : {0.0, 1.0}) {
    svg += fmt::format(
        "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#999\" stroke-dasharray=\"4 3\"/><text x=\"{2}\" "
        "y=\"{3:.1f}\" font-size=\"10\" fill=\"currentColor\" text-anchor=\"end\">{4}</text>",
        kMargin, y_of(level), kPlotWidth, y_of(level) - 3, level == 0 ? "retrained" : "original");
  }
  for (std::size_t test = 0; test < tests.size(); ++test) {
    std::vector<Point> points;
    for (std::size_t place = 0; place < count; ++place) {
      for (const Json& verdict : list_of(ledger.entries[place], "verdicts")) {
        if (method_of(verdict) != method) continue;
        for (const Json& mark : list_of(verdict, "marks")) {
          if (text_of(mark, "metric") != tests[test]) continue;
          points.push_back({place, number_of(mark, "value"), number_of(mark, "lower"),
                            number_of(mark, "upper")});
        }
      }
    }
    svg += curve_svg(points, count, kColours[test % std::size(kColours)],
                     6 * static_cast<double>(test));
  }
  for (std::size_t place = 0; place < count; ++place) {
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{}\" font-size=\"10\" fill=\"currentColor\" "
        "text-anchor=\"middle\">{}</text>",
        x_of(place, count), kPlotHeight + 8, place + 1);
  }
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}</svg>",
                     kPlotWidth + 10, kPlotHeight + 14,
                     legible_html(words::history_aloud(method, count)), svg);
}

template <typename Name>
void add_once(std::vector<std::string>& list, const Name& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

std::string policy_word(const Json& entry) {
  const Json& gate = list_of(entry, "gate");
  if (!gate.is_object()) return "";
  return words::policy_of_entry(report::flag_of(gate, "passed"));
}

/// The verdict's word. Entries before schema 3 hold it as it is shown.
std::string word_of(const Json& verdict) {
  const std::string name = text_of(verdict, "word");
  const auto word = result::from_name<result::Word>(name);
  return word ? words::word(*word) : name;
}

}  // namespace

std::string ledger_text(const Ledger& ledger, const std::string& name) {
  std::string text = words::text(reason(Code::ledger_intact, name, ledger.entries.size())) + "\n";
  for (const Json& entry : ledger.entries) {
    const std::string policy = policy_word(entry);
    text += fmt::format("{:>4}  {}  quality {}  {}{}  {}\n", report::whole_of(entry, "entry"),
                        text_of(entry, "started"), text_of(entry, "grade"),
                        words::margin_of_entry(number_of(entry, "margin")),
                        policy.empty() ? "" : "  " + policy, text_of(entry, "title"));
    for (const Json& verdict : list_of(entry, "verdicts")) {
      text += fmt::format("        {}: {}\n", method_of(verdict), word_of(verdict));
    }
  }
  const result::Reasons remarks = ledger_remarks(ledger);
  if (!remarks.empty()) text += "To be looked at\n";
  for (const result::Reason& remark : remarks) text += "  " + words::text(remark) + "\n";
  return text + words::text(reason(Code::ledger_head, ledger.head)) + "\n";
}

std::string ledger_page(const Ledger& ledger, const std::string& name) {
  std::vector<std::string> methods, tests;
  for (const Json& entry : ledger.entries) {
    for (const Json& verdict : list_of(entry, "verdicts")) {
      add_once(methods, method_of(verdict));
      for (const Json& mark : list_of(verdict, "marks")) add_once(tests, text_of(mark, "metric"));
    }
  }
  std::string body = "<section><p>" + words::sentence(Code::ledger_page_note) + "</p><p>";
  for (std::size_t test = 0; test < tests.size(); ++test) {
    body += fmt::format("<span style=\"color: {}\">\u25cf</span> {} ",
                        kColours[test % std::size(kColours)],
                        legible_html(report::plain_name(tests[test])));
  }
  body += "</p></section>\n";
  for (const std::string& method : methods) {
    body += fmt::format("<section><h3>{}</h3><div class=\"plot\">{}</div></section>\n",
                        legible_html(method), method_svg(ledger, method, tests));
  }
  body += "<section><h2>Entries</h2><pre>" + legible_html(ledger_text(ledger, name)) +
          "</pre></section>\n";
  return plain_page(words::counted(static_cast<std::int64_t>(ledger.entries.size()), "audit"),
                    body);
}

}  // namespace vestige::practice
