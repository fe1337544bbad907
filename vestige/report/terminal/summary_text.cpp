// The summary plot in characters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/summary_plot.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/words/terminal.h"

namespace vestige::report {
namespace {

constexpr std::size_t kWordWidth = 23;      // "OVER-FORGOTTEN (control)"
constexpr std::size_t kShortWord = 15;      // "TRACES REMAIN*", "OVER-FORGOTTEN"
constexpr std::size_t kAccuracyWidth = 20;  // two columns
constexpr std::size_t kLeastCells = 21;     // "retrained" and "original" side by side
constexpr std::size_t kMostCells = 41;
constexpr const char* kSymbols[] = {"\u25cf", "\u25c6", "\u25a1", "\u25c7"};

/// Escape sequences of the tones; what is open has none.
const char* escape_of(const SummaryLine& line) {
  switch (tone(line)) {
    case Tone::control:
      return "\033[90m";
    case Tone::traces:
      return "\033[33m";
    case Tone::over:
      return "\033[35m";
    case Tone::forgotten:
      return "\033[32m";
    case Tone::open:
      break;
  }
  return "";
}

/// A loss that is shown has the page's mark.
std::string accuracy_text(const Kept& kept) {
  return points_text(kept) + (kept.lost ? "\u25bc" : "");
}

class Scale {
 public:
  explicit Scale(std::size_t cells) : cells_(cells) {}

  std::size_t cell(double value) const {
    const double share = (std::clamp(value, -kPlotEnd, kPlotEnd) + kPlotEnd) / (2 * kPlotEnd);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(cells_ - 1)));
  }

  std::string draw(const SummaryLine& line, double margin) const {
    std::vector<std::string> text(cells_, " ");
    for (std::size_t i = cell(-margin); i <= cell(margin); ++i) text[i] = "\u00b7";
    if (!line.marks.empty()) {
      const SummaryMark& first = line.marks.front();
      if (!std::isnan(first.lower) && !std::isnan(first.upper)) {
        for (std::size_t i = cell(first.lower); i <= cell(first.upper); ++i) text[i] = "\u2500";
      }
    }
    text[cell(0)] = "\u2502";
    text[cell(1)] = "\u2506";
    // The first test on top.
    for (auto mark = line.marks.rbegin(); mark != line.marks.rend(); ++mark) {
      const bool beyond = std::abs(mark->value) > kPlotEnd;
      text[cell(mark->value)] = !beyond           ? kSymbols[mark->test % 4]
                                : mark->value < 0 ? "\u25c0"
                                                  : "\u25b6";
    }
    std::string joined;
    for (const std::string& each : text) joined += each;
    return joined;
  }

  /// Names over the places of retrained and original.
  std::string header() const {
    std::string text(cells_, ' ');
    const auto put = [&](std::size_t centre, std::string_view word) {
      const std::size_t start =
          std::min(centre - std::min(centre, word.size() / 2), cells_ - word.size());
      text.replace(start, word.size(), word);
    };
    put(cell(0), "retrained");
    put(cell(1), "original");
    return text;
  }

 private:
  std::size_t cells_;
};

std::string cut(const std::string& name, std::size_t width) {
  return name.size() <= width ? name : name.substr(0, width - 1) + "~";
}

}  // namespace

std::string summary_text(const SummaryPlot& summary, std::size_t width, bool colour,
                         std::size_t most_lines) {
  std::size_t names = 6;
  for (const SummaryLine& line : summary.lines) names = std::max(names, line.method.size());
  names = std::min<std::size_t>(names, 20);
  std::size_t words = kWordWidth;
  bool beside = true;  // retain and test beside the plot, not below it
  const auto used = [&] { return names + 2 + words + 2 + (beside ? kAccuracyWidth : 0); };
  if (used() + kLeastCells > width) words = kShortWord;
  if (used() + kLeastCells > width) beside = false;
  if (used() + kLeastCells > width) names = std::min<std::size_t>(names, 16);
  const std::size_t cells =
      std::clamp(width > used() ? width - used() : 0, kLeastCells, kMostCells);
  const Scale scale(cells);
  std::string text = fmt::format("{:<{}}  {:<{}} {}", "", names, "", words, scale.header());
  text += beside ? fmt::format(" {:>10}{:>10}\n", "retain", "test") : "\n";
  std::size_t shown = 0;
  for (const SummaryLine& line : summary.lines) {
    if (shown++ == most_lines) break;
    const std::string word = shown_word(line, "*");
    const char* on = colour ? escape_of(line) : "";
    text +=
        fmt::format("{:<{}}  {}{:<{}}{} {}", cut(line.method, names), names, on, cut(word, words),
                    words, *on != '\0' ? "\033[0m" : "", scale.draw(line, summary.margin));
    text += fmt::format(fmt::runtime(beside ? " {:>10}{:>10}\n" : "\n    retain {}, test {}\n"),
                        accuracy_text(line.retain), accuracy_text(line.test));
  }
  if (summary.lines.size() > most_lines) {
    text += fmt::format("... and {} more\n", summary.lines.size() - most_lines);
  }
  std::string legend;
  for (std::size_t test = 0; test < summary.tests.size() && test < 4; ++test) {
    legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", kSymbols[test],
                          plain_name(summary.tests[test]));
  }
  const bool marked = std::any_of(summary.lines.begin(), summary.lines.end(),
                                  [](const auto& line) { return line.hardly_changed; });
  if (!legend.empty()) {
    text += wrap(legend + words::plot_units(utility_of(summary), marked), "", "  ", width);
  }
  return text;
}

}  // namespace vestige::report
