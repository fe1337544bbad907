// The block that an audit ends with.
#include "vestige/report/terminal/brief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "vestige/base/platform/terminal.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/report/blocks.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/summary_plot.h"
#include "vestige/report/terminal/ascii.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/words/headline.h"
#include "vestige/words/terminal.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMethods = 14;  // lines of the summary plot
constexpr std::size_t kCauses = 5;
constexpr std::size_t kWarnings = 3;
constexpr std::size_t kNotMeasured = 12;

/// What reading the evidence found.
std::vector<std::string> warnings_of(const Results& results) {
  std::vector<std::string> found;
  if (!results.evidence.contains("checks")) return found;
  for (const Json& finding : results.evidence.at("checks")) {
    const auto severity = result::from_name<evidence::Severity>(text_of(finding, "severity"));
    if (severity != evidence::Severity::warning) continue;
    found.push_back(fmt::format("{}: {}", text_of(finding, "code"), text_of(finding, "text")));
  }
  return found;
}

/// The first clause of a reason: up to the first colon, semicolon or bracket that ends a thought.
std::string first_clause(const std::string& text) {
  const std::size_t end = std::min({text.find("; "), text.find(": "), text.find(". ")});
  return text.substr(0, end);
}

}  // namespace

BriefStyle terminal_style() {
  BriefStyle style;
  const bool terminal = platform::output_is_terminal();
  style.colour = terminal && std::getenv("NO_COLOR") == nullptr;
  style.ascii = terminal && !utf8_locale();
  const std::size_t width = platform::terminal_width();
  if (width > 0) style.width = std::clamp<std::size_t>(width, 60, 160);
  return style;
}

std::vector<std::string> unreadable(const Results& results) {
  // Metric group and cause, in the order in which they come.
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> metrics;
  for (const study::StudyRow& row : results.rows) {
    if (row.row.status != metrics::Status::unreliable) continue;
    const std::pair<std::string, std::string> key{family_of(row.row.metric),
                                                  first_clause(words::text(row.row.notes))};
    auto& ids = metrics[key];
    if (ids.empty()) order.push_back(key);
    if (std::find(ids.begin(), ids.end(), row.row.metric) == ids.end()) {
      ids.push_back(row.row.metric);
    }
  }
  std::map<std::string, std::pair<std::size_t, std::string>> by_group;
  std::vector<std::string> groups;
  for (const auto& key : order) {
    auto& [count, cause] = by_group[key.first];
    if (count == 0) {
      groups.push_back(key.first);
      cause = key.second;
    }
    count += metrics[key].size();
  }
  std::vector<std::string> sentences;
  for (const std::string& group : groups) {
    const auto& [count, cause] = by_group[group];
    sentences.push_back(words::unreadable_group(group, count, cause));
  }
  return sentences;
}

std::string margins_text(const Results& results) {
  const result::Margins used = margins_of(results);
  if (results.verdicts.empty() || std::isnan(used.margin)) return {};
  return words::text(result::reason(result::Code::margins_used, used.margin, used.smallest_effect,
                                    used.utility_margin, used.likelihood_margin));
}

std::string verdict_text(const audit::Verdict& verdict, std::size_t width) {
  std::string text = wrap(words::sentence(verdict), "", "  ", width);
  if (!words::limits(verdict).empty())
    text += wrap(std::string(words::kCannotBeConcluded) + words::limits(verdict), "", "  ", width);
  if (verdict.tests.empty()) return text;
  // Where a line does not hold name and numbers, the name has a line of its own.
  constexpr std::size_t kWhole = 99;
  const auto line = [width](std::string_view name, std::string_view value, const std::string& range,
                            std::string_view margin, std::string_view p, std::string_view shows) {
    if (width >= kWhole) {
      return fmt::format("{:<34} {:>10} {:>22} {:>9} {:>9}  {}\n", name, value, range, margin, p,
                         shows);
    }
    return fmt::format("{}\n {:>9} {:>20} {:>8} {:>8} {}\n", name, value, range, margin, p, shows);
  };
  text +=
      line("test (method - retrained)", "value", "95 % interval", "margin", "p (Holm)", "shows");
  for (const audit::VerdictTest& test : verdict.tests) {
    const audit::Difference& seen = test.difference;
    text += line(test.metric, table_number(seen.estimate),
                 fmt::format("{} .. {}", table_number(seen.lower), table_number(seen.upper)),
                 table_number(test.margin), table_number(test.holm), result::name(test.shows));
  }
  return text;
}

std::string audit_brief(const Results& results, const BriefStyle& style) {
  const std::vector<SummaryPlot> summaries = summary_plots(results);
  const auto bold = [&](const std::string& text) {
    return style.colour ? "\033[1m" + text + "\033[0m" : text;
  };
  std::string head = wrap(answer(summaries, results.verdicts), "", "  ", style.width);
  head.pop_back();
  std::string text = bold(head) + "\n";
  const std::string counted = counted_words(summaries);
  if (!counted.empty()) text += wrap(counted, "", "", style.width);
  const std::string grade = text_of(results.evidence, "grade");
  if (!grade.empty()) {
    text += wrap(words::evidence_quality(grade, text_of(results.evidence, "grade_reason")), "",
                 "  ", style.width);
  }
  const std::string margins = margins_text(results);
  if (!margins.empty()) text += wrap(margins, "", "  ", style.width);
  if (!summaries.empty())
    text += "\n" + summary_text(summaries.front(), style.width, style.colour, kMethods);
  if (summaries.size() > 1) {
    text += words::more_variants(summaries.size() - 1) + "\n";
  }
  const std::vector<std::string> warnings = warnings_of(results);
  if (!warnings.empty()) {
    text += fmt::format("\n{}\n", words::warnings_heading(warnings.size()));
  }
  for (std::size_t i = 0; i < warnings.size() && i < kWarnings; ++i) {
    text += one_line("- " + warnings[i], style.width);
  }
  const std::vector<std::string> causes = unreadable(results);
  if (!causes.empty()) text += fmt::format("\n{}\n", words::kCannotBeReadHeading);
  for (std::size_t i = 0; i < causes.size() && i < kCauses; ++i)
    text += one_line("- " + causes[i], style.width);
  if (causes.size() > kCauses) {
    text += fmt::format("- and {} more groups\n", causes.size() - kCauses);
  }
  if (!results.skipped.empty()) {
    std::vector<std::string> names;
    for (const result::Skipped& skipped : results.skipped) {
      if (names.size() < kNotMeasured) names.push_back(skipped.group);
    }
    if (results.skipped.size() > names.size()) {
      names.push_back(fmt::format("{} more", results.skipped.size() - names.size()));
    }
    text +=
        wrap(words::not_measured(fmt::format("{}", fmt::join(names, ", "))), "", "  ", style.width);
  }
  return style.ascii ? ascii(text) : text;
}

}  // namespace vestige::report
