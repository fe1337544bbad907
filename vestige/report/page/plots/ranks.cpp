// Mean ranks of methods with Nemenyi's critical difference, for metrics that passed their controls.
#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {

std::vector<Plot> rank_plot(const PlotInput& input) {
  constexpr std::size_t kMostRankPanels = 6;
  const PlotTemplate pattern("critical-difference");
  Json rows = Json::array();
  std::vector<std::string> shown;
  std::string summary;
  const Json bench = bench_json_of(input.results);
  for (const Json& metric : list_of(list_of(bench, "comparison"), "metrics")) {
    const double width = number_of(metric, "critical_difference");
    if (metric.value("controls_failed", false) || !std::isfinite(width)) continue;
    const std::string name = text_of(metric, "metric");
    const bool known = std::find(shown.begin(), shown.end(), name) != shown.end();
    if (known || shown.size() == kMostRankPanels) continue;
    double best = metrics::kUndefined;
    std::vector<std::string> worse;
    Json own = Json::array();
    for (const Json& method : list_of(metric, "methods")) {
      const double rank = number_of(method.value("rank", Json::object()), "value");
      if (!std::isfinite(rank)) continue;
      if (std::isnan(best)) best = rank;
      if (rank > best + width) worse.push_back(text_of(method, "method"));
      own.push_back({{"metric", name},
                     {"method", text_of(method, "method")},
                     {"rank", plot_number(rank)},
                     {"first", plot_number(best)},
                     {"reach", plot_number(best + width)},
                     {"share", plot_number(number_of(method, "best"))}});
    }
    if (own.size() < 2) continue;
    shown.push_back(name);
    summary += pattern.word(worse.empty() ? "none" : "some",
                            {{"metric", name}, {"listed", listed(worse)}});
    for (Json& row : own) rows.push_back(std::move(row));
  }
  if (rows.empty()) return {};
  return {pattern.plot({{"values", std::move(rows)}, {"summary", summary}})};
}

}  // namespace vestige::report
