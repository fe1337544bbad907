// Utility kept against the largest distance from retrained: what forgetting cost, method by method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/label_heights.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"
#include "vestige/report/summary_plot.h"
#include "vestige/study/method_lines.h"

namespace vestige::report {
namespace {

using metrics::Control;

/// Points of one variant, and what is outside the plot.
struct TradeOff {
  const SummaryPlot& summary;
  bool likelihood = false;  ///< across are nats per token, else points of accuracy
  std::string unit{};       ///< in words
  Json rows = Json::array();
  std::vector<std::string> left_out{};

  double scaled(double value) const { return likelihood ? value : 100 * value; }
  std::string text(double value) const {
    return fmt::format("{:+.{}f} {}", value, likelihood ? 2 : 1, unit);
  }

  void add(const std::string& method, Control control, const Kept& kept, const SummaryMark& mark,
           const std::string& test) {
    if (!std::isfinite(kept.difference) || !std::isfinite(mark.value)) return;
    rows.push_back({{"method", method},
                    {"role", role_of(control)},
                    {"kept", plot_number(scaled(kept.difference))},
                    {"kept_lower", plot_number(scaled(kept.lower))},
                    {"kept_upper", plot_number(scaled(kept.upper))},
                    {"forgetting", plot_number(mark.value)},
                    {"forgetting_lower", plot_number(mark.lower)},
                    {"forgetting_upper", plot_number(mark.upper)},
                    {"test", test}});
  }

  /// The methods' points are from the verdicts; a ruined model would squeeze the axes and is named
  /// instead.
  void add_methods() {
    const double most = likelihood ? 3 : 0.3;
    for (const SummaryLine& line : summary.lines) {
      const SummaryMark* mark = farthest_mark(line);
      const Kept& kept = kept_of(line);
      if (mark == nullptr || std::isnan(kept.difference)) continue;
      if (kept.difference < -most || std::abs(mark->value) > 3) {
        left_out.push_back(fmt::format("{} ({}, {:.1f})", line.method,
                                       text(scaled(kept.difference)), mark->value));
      } else {
        add(line.method, Control::none, kept, *mark, plain_name(summary.tests[mark->test]));
      }
    }
  }
};

/// The ends of an axis that has at least these points on it, with space around the points.
std::pair<double, double> ends_of(const Json& rows, const char* key, double low, double high) {
  for (const Json& row : rows) {
    low = std::min(low, number_of(row, key));
    high = std::max(high, number_of(row, key));
  }
  const double space = 0.06 * std::max(high - low, 0.1);
  return {low - space, high + space};
}

Json domain_of(const std::pair<double, double>& ends) {
  return Json::array({plot_number(ends.first), plot_number(ends.second)});
}

/// Gives every point a height for its name, `label_at`; scales are pixels per unit.
void place_labels(Json& rows, double per_x, double per_y) {
  std::vector<Labelled> points;
  for (const Json& row : rows) {
    points.push_back({number_of(row, "kept") * per_x, number_of(row, "forgetting") * per_y,
                      text_of(row, "method")});
  }
  const std::vector<double> heights = label_heights(points);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]["label_at"] = plot_number(heights[i] / per_y);
  }
}

}  // namespace

std::vector<Plot> trade_off_plot(const PlotInput& input) {
  const PlotTemplate pattern("trade-off");
  std::vector<Plot> made;
  for (const SummaryPlot& summary : summary_plots(input.results)) {
    if (summary.lines.empty()) continue;
    const bool likelihood =
        std::any_of(summary.lines.begin(), summary.lines.end(),
                    [](const SummaryLine& line) { return kept_of(line).likelihood; });
    Json values = pattern.table(likelihood ? "likelihood" : "accuracy");
    TradeOff points{summary, likelihood, text_of(values, "unit")};
    const std::string& variant = summary.lines.front().variant;
    const metrics::Estimate original =
        study::utility_difference(input.results.rows, variant, Control::original, "test");
    points.add("retrained", Control::retrained, {.difference = 0}, {.value = 0}, "");
    points.add("original", Control::original,
               {.difference = original.value, .lower = original.lower, .upper = original.upper},
               {.value = 1}, "");
    points.add_methods();
    if (points.rows.size() < 3) continue;  // the two controls alone
    const auto across = ends_of(points.rows, "kept", 0, 0);
    const auto up = ends_of(points.rows, "forgetting", -summary.margin, 1);
    place_labels(points.rows, pattern.number("width") / (across.second - across.first),
                 pattern.number("height") / (up.second - up.first));
    std::string words;
    for (const Json& row : points.rows) {
      words += fmt::format("{}{} {}, {:.2f}", words.empty() ? "" : "; ", text_of(row, "method"),
                           points.text(number_of(row, "kept")), number_of(row, "forgetting"));
    }
    values.update({{"values", std::move(points.rows)},
                   {"variant", variant},
                   {"points", words},
                   {"left_out", listed(points.left_out)},
                   {"across_domain", domain_of(across)},
                   {"up_domain", domain_of(up)},
                   {"margin_low", -summary.margin},
                   {"margin_high", summary.margin}});
    if (variant.empty()) values["heading"] = "";
    if (points.left_out.empty()) values["outside"] = "";
    made.push_back(pattern.plot(std::move(values)));
  }
  return made;
}

}  // namespace vestige::report
