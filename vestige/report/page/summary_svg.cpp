// The summary plot as SVG. Colours stand in attributes, so that a file or a mail has them, and
// classes let the page change them for the dark.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/page/escape.h"
#include "vestige/report/summary_plot.h"

namespace vestige::report {
namespace {

constexpr double kSummaryWidth = 480, kLeft = 44, kRight = 450;  // of the scale from -1.25 to 1.25
constexpr double kStep = 13;                                     // from mark to mark
constexpr const char* kGreen = "#00664d";
constexpr const char* kBand = "#ddefe8";

double x_of(double value) {
  const double inside = std::clamp(value, -kPlotEnd, kPlotEnd);
  return kLeft + (inside + kPlotEnd) / (2 * kPlotEnd) * (kRight - kLeft);
}

/// Of a tone, for files and mails, which have no style sheet.
const char* colour_of(Tone tone) {
  switch (tone) {
    case Tone::control:
      return "#757575";
    case Tone::traces:
      return "#9c3a00";
    case Tone::over:
      return "#6f4697";
    case Tone::forgotten:
      return kGreen;
    case Tone::open:
      break;
  }
  return "#4d4d4d";
}

/// Full and open circles, diamonds, squares and triangles, in the order of the tests.
std::string symbol(std::size_t test, double x, double y, const char* colour) {
  const bool open = (test / 2) % 2 == 1;
  const std::string paint =
      open ? fmt::format("fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.5\"", colour)
           : fmt::format("fill=\"{}\"", colour);
  const char* kind = open ? "mark hollow" : "mark";
  if (test % 4 == 0 || test % 4 == 2) {
    if (test % 4 == 0) {
      return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" {}/>", kind, x,
                         y, paint);
    }
    return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" {}/>",
                       kind, x - 4, y - 4, paint);
  }
  return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\" {}/>", kind, x, y - 5,
                     paint);
}

double height_of(const SummaryLine& line) {
  const double rows = static_cast<double>(line.marks.size()) + (line.note.empty() ? 1 : 2);
  return std::max(2.0, rows) * kStep;
}

/// Band of the margin, smallest effect, retrained and original.
std::string scale_svg(const SummaryPlot& summary, double height) {
  return fmt::format(
      "<rect class=\"band\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>"
      "<path class=\"smallest\" d=\"M{:.1f} 0V{:.1f}M{:.1f} 0V{:.1f}\" stroke=\"#757575\" "
      "stroke-dasharray=\"1 3\"/>"
      "<path class=\"zero\" d=\"M{:.1f} 0V{:.1f}\" stroke=\"{}\" stroke-dasharray=\"5 3\"/>"
      "<path class=\"one\" d=\"M{:.1f} 0V{:.1f}\" stroke=\"#9c3a00\" stroke-dasharray=\"2 2\"/>",
      x_of(-summary.margin), x_of(summary.margin) - x_of(-summary.margin), height, kBand,
      x_of(-summary.smallest), height, x_of(summary.smallest), height, x_of(0), height, kGreen,
      x_of(1), height);
}

std::string mark_svg(const SummaryMark& mark, double y, const char* colour) {
  std::string svg;
  if (!std::isnan(mark.lower) && !std::isnan(mark.upper) && x_of(mark.upper) > x_of(mark.lower)) {
    svg += fmt::format(
        "<path class=\"bar\" d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\" stroke-width=\"2\"/>",
        x_of(mark.lower), y, x_of(mark.upper), colour);
  }
  svg += symbol(mark.test, x_of(mark.value), y, colour);
  if (std::abs(mark.value) > kPlotEnd) {
    const bool left = mark.value < 0;
    svg += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" text-anchor=\"{}\">{}{:.1f}"
        "{}</text>",
        left ? kLeft - 8 : kRight + 8, y + 4, left ? "end" : "start", left ? "\u25c0 " : "",
        mark.value, left ? "" : " \u25b6");
  }
  return svg;
}

std::string inner(const SummaryLine& line, const SummaryPlot& summary) {
  const char* colour = colour_of(tone(line));
  const double height = height_of(line);
  std::string svg = scale_svg(summary, height);
  svg += fmt::format("<g class=\"{}\">", result::name(tone(line)));
  for (std::size_t index = 0; index < line.marks.size(); ++index) {
    svg += mark_svg(line.marks[index], (static_cast<double>(index) + 1) * kStep, colour);
  }
  if (!line.note.empty()) {
    svg += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" "
        "text-anchor=\"middle\">{}</text>",
        x_of(0), height - 4, html_text(line.note));
  }
  return svg + "</g>";
}

/// For people who hear it.
std::string described(const SummaryLine& line, const SummaryPlot& summary) {
  std::string text = words::line_aloud(line.method, shown_word(line));
  for (const SummaryMark& mark : line.marks) {
    text += " " + words::mark_aloud(plain_name(summary.tests[mark.test]), mark.value, mark.lower,
                                    mark.upper);
  }
  if (!line.note.empty()) text += " " + line.note + ".";
  return text;
}

}  // namespace

std::string line_svg(const SummaryLine& line, const SummaryPlot& summary) {
  const double height = height_of(line);
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" preserveAspectRatio=\"xMidYMid\">"
      "<g aria-hidden=\"true\">{}</g></svg>",
      kSummaryWidth, height, html_text(described(line, summary)), inner(line, summary));
}

std::string moves_svg(const std::vector<SummaryLine>& steps, const SummaryPlot& summary,
                      bool current) {
  const double height = (static_cast<double>(summary.tests.size()) + 1) * kStep;
  std::string text, svg = scale_svg(summary, height);
  for (std::size_t test = 0; test < summary.tests.size(); ++test) {
    const double y = (static_cast<double>(test) + 1) * kStep;
    const SummaryMark* last = nullptr;
    for (const SummaryLine& step : steps) {
      const bool latest = current && &step == &steps.back();
      for (const SummaryMark& mark : step.marks) {
        if (mark.test != test) continue;
        text +=
            fmt::format(" {} {} {:.2f}.", step.method, plain_name(summary.tests[test]), mark.value);
        const double x = x_of(mark.value);
        if (last != nullptr && std::abs(x - x_of(last->value)) > 1) {
          const double back = x > x_of(last->value) ? -6 : 6;
          svg += fmt::format(
              "<path class=\"ink\" d=\"M{:.1f} {:.1f}H{:.1f}m{:.1f} -3l{:.1f} 3l{:.1f} 3\" "
              "stroke=\"currentColor\" fill=\"none\" stroke-width=\"1.2\"/>",
              x_of(last->value), y, x, back, -back, back);
        }
        svg += fmt::format("<g class=\"{}\" opacity=\"{}\">{}</g>", result::name(tone(step)),
                           latest ? "1" : "0.45",
                           latest ? mark_svg(mark, y, colour_of(tone(step)))
                                  : symbol(test, x, y, colour_of(tone(step))));
        last = &mark;
      }
    }
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
      "preserveAspectRatio=\"xMidYMid\"><g aria-hidden=\"true\">{}</g></svg>",
      kSummaryWidth, height, html_text("0: retrained models, 1: original." + text), svg);
}

std::string header_svg() {
  return fmt::format(
      "<svg viewBox=\"0 0 {} 30\" aria-hidden=\"true\"><g font-size=\"11\" text-anchor=\"middle\">"
      "<text class=\"over\" x=\"{:.1f}\" y=\"12\" fill=\"#6f4697\">\u25c0 {}</text>"
      "<text class=\"forgotten\" x=\"{:.1f}\" y=\"12\" fill=\"{}\" font-weight=\"bold\">retrained"
      "</text><text class=\"forgotten\" x=\"{:.1f}\" y=\"26\" fill=\"{}\">{}"
      "</text><text class=\"traces\" x=\"{:.1f}\" y=\"12\" fill=\"#9c3a00\" font-weight=\"bold\">"
      "original</text><text class=\"traces\" x=\"{:.1f}\" y=\"26\" fill=\"#9c3a00\">{}"
      "</text></g></svg>",
      kSummaryWidth, x_of(-0.9), words::kOverForgotten, x_of(0), kGreen, x_of(0), kGreen,
      words::kForgottenBand, x_of(1), x_of(1), words::kNothingForgotten);
}

std::string symbol_svg(std::size_t test) {
  return fmt::format(
      "<svg viewBox=\"0 0 12 12\" width=\"12\" height=\"12\" aria-hidden=\"true\"><g "
      "class=\"open\">{}</g></svg>",
      symbol(test, 6, 6, "#4d4d4d"));
}

std::string figure_svg(const SummaryPlot& summary, const std::string& title) {
  constexpr double kNames = 190;
  double y = 46;
  std::string body;
  for (const SummaryLine& line : summary.lines) {
    const char* colour = colour_of(tone(line));
    const double height = height_of(line);
    body += fmt::format(
        "<text x=\"0\" y=\"{:.1f}\" font-size=\"14\" font-weight=\"bold\">{}</text><text x=\"0\" "
        "y=\"{:.1f}\" font-size=\"11\" fill=\"{}\">{}</text><g transform=\"translate({} {:.1f})\">"
        "{}</g>",
        y + 12, html_text(line.method), y + 25, colour, shown_word(line), kNames, y,
        inner(line, summary));
    y += height + 4;
  }
  std::string legend;
  for (std::size_t test = 0; test < summary.tests.size(); ++test) {
    y += 16;
    legend += symbol(test, 8, y, "#4d4d4d") +
              fmt::format("<text x=\"20\" y=\"{:.1f}\" font-size=\"12\">{}</text>", y + 4,
                          html_text(plain_name(summary.tests[test])));
  }
  const std::string header = header_svg();
  const std::size_t open = header.find("<g "), close = header.rfind("</svg>");
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"84mm\" viewBox=\"0 0 {} {:.0f}\" "
      "font-family=\"sans-serif\"><title>{}</title><g transform=\"translate({} 10)\">{}</g>{}{}"
      "</svg>\n",
      kSummaryWidth + kNames, y + 16, html_text(title), kNames, header.substr(open, close - open),
      body, legend);
}

}  // namespace vestige::report
