// Drawing ranks.
#include "vestige/report/page/rank_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/page/plots/plots.h"
#include "vestige/report/summary_plot.h"
#include "vestige/words/terminal.h"

namespace vestige::report {
namespace {

constexpr double kRankWidth = 480, kRankNames = 170, kRankStep = 18;

}  // namespace

std::string rank_figure_svg(const Results& results) {
  // The same points as the plot's, so that both say the same.
  const std::vector<Plot> plots = rank_plot({results, {}, {}});
  if (plots.empty()) return {};
  const Json& values = plots.front().spec.at("data").at("values");
  double most = 2;
  for (const Json& value : values) {
    most = std::max({most, number_of(value, "rank"), number_of(value, "reach")});
  }
  const auto at = [most](double rank) {
    return kRankNames + (kRankWidth - kRankNames - 10) * (rank - 1) / (most - 1);
  };
  std::string body, metric;
  double y = 0;
  for (const Json& value : values) {
    const double rank = number_of(value, "rank"), first = number_of(value, "first");
    if (text_of(value, "metric") != metric) {
      metric = text_of(value, "metric");
      const auto own = std::count_if(values.begin(), values.end(), [&metric](const Json& other) {
        return text_of(other, "metric") == metric;
      });
      y += 26;
      body +=
          fmt::format("<text x=\"0\" y=\"{:.1f}\" font-size=\"13\" font-weight=\"bold\">{}</text>",
                      y, html_text(plain_name(metric)));
      y += 6;
      body += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#d8d8d8\"/>",
          at(first), y, at(number_of(value, "reach")) - at(first),
          kRankStep * static_cast<double>(own));
    }
    y += kRankStep;
    body += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"12\" text-anchor=\"end\">{}</text>"
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#0072b2\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\">{:.2f}</text>",
        kRankNames - 10, y - 5, html_text(text_of(value, "method")), at(rank), y - 9,
        std::min(at(rank) + 7, kRankWidth - 26), y - 5, rank);
  }
  y += 18;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"84mm\" viewBox=\"0 0 {} {:.0f}\" "
      "font-family=\"sans-serif\"><title>{}</title>{}<text "
      "x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\">{}</text></svg>\n",
      kRankWidth, y + 6, words::kRankFigureTitle, body, kRankNames, y, words::kRankFigureNote);
}

}  // namespace vestige::report
