// The block that an audit ends with.
#include "vestige/report/brief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "vestige/report/blocks.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/strip.h"
#include "vestige/report/terminal.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMethods = 14;  // lines of the strip
constexpr std::size_t kCauses = 5;
constexpr std::size_t kWarnings = 3;
constexpr std::size_t kNotMeasured = 12;

/// What reading the evidence found.
std::vector<std::string> warnings_of(const Results& results) {
  std::vector<std::string> found;
  if (!results.evidence.contains("checks")) return found;
  for (const Json& finding : results.evidence.at("checks")) {
    if (text_of(finding, "severity") != "warning") continue;
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
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  style.colour = terminal && std::getenv("NO_COLOR") == nullptr;
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = std::clamp<std::size_t>(size.ws_col, 60, kTerminalWidth);
  }
  return style;
}

std::vector<std::string> unreadable(const Results& results) {
  // Family and cause, in the order in which they come.
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> metrics;
  for (const study::StudyRow& row : results.rows) {
    if (row.row.status != metrics::Status::unreliable) continue;
    const std::pair<std::string, std::string> key{family_of(row.row.metric),
                                                  first_clause(row.row.note)};
    auto& ids = metrics[key];
    if (ids.empty()) order.push_back(key);
    if (std::find(ids.begin(), ids.end(), row.row.metric) == ids.end()) {
      ids.push_back(row.row.metric);
    }
  }
  std::map<std::string, std::pair<std::size_t, std::string>> by_family;
  std::vector<std::string> families;
  for (const auto& key : order) {
    auto& [count, cause] = by_family[key.first];
    if (count == 0) {
      families.push_back(key.first);
      cause = key.second;
    }
    count += metrics[key].size();
  }
  std::vector<std::string> sentences;
  for (const std::string& family : families) {
    const auto& [count, cause] = by_family[family];
    sentences.push_back(
        fmt::format("{}, {} {}: {}", family, count, count == 1 ? "metric" : "metrics", cause));
  }
  return sentences;
}

std::string verdict_text(const audit::Verdict& verdict) {
  std::string text = wrap(verdict.sentence, "", "  ");
  if (!verdict.cannot.empty()) text += wrap("Cannot be concluded: " + verdict.cannot, "", "  ");
  if (verdict.tests.empty()) return text;
  text += fmt::format("{:<34} {:>10} {:>22} {:>9} {:>9}  {}\n", "test (method - retrained)",
                      "value", "95 % interval", "margin", "p (Holm)", "shows");
  for (const audit::VerdictTest& test : verdict.tests) {
    const audit::Difference& seen = test.difference;
    text += fmt::format(
        "{:<34} {:>10} {:>22} {:>9} {:>9}  {}\n", test.metric, table_number(seen.estimate),
        fmt::format("{} .. {}", table_number(seen.lower), table_number(seen.upper)),
        table_number(test.margin), table_number(test.holm), audit::name(test.shows));
  }
  return text;
}

std::string audit_brief(const Results& results, const BriefStyle& style) {
  const std::vector<Strip> strips = strips_of(results);
  const auto bold = [&](const std::string& text) {
    return style.colour ? "\033[1m" + text + "\033[0m" : text;
  };
  std::string text = bold(answer(strips, results.verdicts)) + "\n";
  const std::string counted = counted_words(strips);
  if (!counted.empty()) text += wrap(counted, "", "");
  const std::string grade = text_of(results.evidence, "grade");
  if (!grade.empty()) {
    text += wrap(fmt::format("Grade {}: {}", grade, text_of(results.evidence, "grade_reason")), "",
                 "  ");
  }
  if (!strips.empty())
    text += "\n" + strip_text(strips.front(), style.width, style.colour, kMethods);
  if (strips.size() > 1) {
    text += fmt::format("{} more arms: the page has a strip of each\n", strips.size() - 1);
  }
  const auto one_line = [](std::string line) {
    if (line.size() > kTerminalWidth) line = line.substr(0, kTerminalWidth - 3) + "...";
    return line + "\n";
  };
  const std::vector<std::string> warnings = warnings_of(results);
  if (!warnings.empty()) {
    text += fmt::format(
        "\n{} of the evidence (vestige inspect has all of each)\n",
        warnings.size() == 1 ? "1 warning" : fmt::format("{} warnings", warnings.size()));
  }
  for (std::size_t i = 0; i < warnings.size() && i < kWarnings; ++i) {
    text += one_line("- " + warnings[i]);
  }
  const std::vector<std::string> causes = unreadable(results);
  if (!causes.empty()) text += "\nCannot be read here\n";
  for (std::size_t i = 0; i < causes.size() && i < kCauses; ++i) text += one_line("- " + causes[i]);
  if (causes.size() > kCauses) {
    text += fmt::format("- and {} more families\n", causes.size() - kCauses);
  }
  if (!results.skipped.empty()) {
    std::vector<std::string> names;
    for (const audit::Skipped& skipped : results.skipped) {
      if (names.size() < kNotMeasured) names.push_back(skipped.family);
    }
    if (results.skipped.size() > names.size()) {
      names.push_back(fmt::format("{} more", results.skipped.size() - names.size()));
    }
    text += wrap(fmt::format("Not measured: {} (vestige inspect says what is missing)",
                             fmt::join(names, ", ")),
                 "", "  ");
  }
  return text;
}

}  // namespace vestige::report
