// Where the variation of one measurement comes from: one bar per metric, divided by source.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {

std::vector<Plot> variance_plot(const PlotInput& input) {
  constexpr std::size_t kMostVarianceBars = 16;
  const PlotTemplate pattern("variance");
  Json rows = Json::array();
  std::vector<std::string> bars, sources;
  const Json bench = bench_json_of(input.results);
  for (const Json& row : list_of(bench, "variance")) {
    // "*" is all methods of a metric together.
    if (text_of(row, "method") != "*" || bars.size() == kMostVarianceBars) continue;
    const std::string metric = text_of(row, "metric"), variant = text_of(row, "variant");
    const std::string bar =
        variant.empty() ? metric : pattern.word("bar", {{"metric", metric}, {"variant", variant}});
    // Of several settings of a metric the first is drawn.
    if (std::find(bars.begin(), bars.end(), bar) != bars.end()) continue;
    const std::size_t before = rows.size();
    for (const Json& level : list_of(row, "levels")) {
      const double share = number_of(level, "share");
      if (!std::isfinite(share) || !flag_of(level, "estimable")) continue;
      rows.push_back(
          {{"bar", bar}, {"source", text_of(level, "level")}, {"share", plot_number(share)}});
    }
    if (rows.size() == before) continue;
    bars.push_back(bar);
    sources.push_back(pattern.word("mostly", {{"bar", bar}, {"source", text_of(row, "noisiest")}}));
  }
  if (rows.empty()) return {};
  place_by(rows, "bar", bars);
  return {pattern.plot({{"values", std::move(rows)}, {"bars", listed(sources)}})};
}

}  // namespace vestige::report
