// Scores of examples and models: histograms of groups, scores in order, scores of chosen examples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMostExamples = 36;

/// A histogram as steps: one point at the left of each bin and one at the end, as shares of the
/// group, because groups differ in size.
void add_steps(const metrics::Series& series, const std::string& panel, Json& rows) {
  const std::vector<double>&left = column(series, "left"), &right = column(series, "right"),
        &count = column(series, "count");
  const std::size_t bins = std::min({left.size(), right.size(), count.size()});
  const double total = std::accumulate(count.begin(), count.end(), 0.0);
  if (bins == 0 || !(total > 0)) return;
  for (std::size_t bin = 0; bin <= bins; ++bin) {
    rows.push_back({{"panel", panel},
                    {"group", series.group},
                    {"x", plot_number(bin < bins ? left[bin] : right[bin - 1])},
                    {"share", plot_number(bin < bins ? count[bin] / total : 0)}});
  }
}

std::vector<std::string> names_of_groups(const SeriesList& series) {
  std::vector<std::string> names;
  for (const metrics::Series* one : series) {
    if (std::find(names.begin(), names.end(), one->group) == names.end()) {
      names.push_back(one->group);
    }
  }
  return names;
}

/// Ticks for a symmetric logarithmic axis up to `largest`: 0, and 1, 2, 5 times powers of ten from
/// 0.5 on.
Json symlog_ticks(double largest) {
  Json ticks = Json::array({0, 0.5});
  for (double decade = 1; decade <= largest; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step * decade <= largest) ticks.push_back(step * decade);
    }
  }
  return ticks;
}

}  // namespace

std::vector<Plot> histogram_plots(const PlotInput& input) {
  std::vector<Plot> made;
  // Histograms of one metric and one layer or score belong together.
  for (const auto& [key, series] :
       grouped(series_of(input.results, "histogram"), {"layer", "score"})) {
    const std::vector<std::string> groups = names_of_groups(series), methods = methods_of(series);
    // One group of examples: bars, as counts. Several: outlines over each other, as shares.
    const bool counts = groups.size() == 1;
    const PlotTemplate pattern(counts ? "counts" : "scores", "histogram", series.front()->metric);
    Json rows = Json::array();
    for (const metrics::Series* one : series) {
      if (counts) {
        add_points(*one, {{"method", method_of(*one)}}, {"left", "right", "count"}, 1, rows);
      } else {
        add_steps(*one, method_of(*one), rows);
      }
    }
    if (rows.empty()) continue;
    place_by(rows, counts ? "method" : "panel", methods);
    const char* counted = groups.front().empty() ? "examples" : "examples_of";
    made.push_back(pattern.plot(
        {{"values", std::move(rows)},
         {"key", key},
         {"groups", groups},
         {"groups_listed", listed(groups)},
         {"methods_listed", listed(methods)},
         {"counted", counts ? pattern.word(counted, {{"group", groups.front()}}) : ""}}));
  }
  return made;
}

std::vector<Plot> sorted_plots(const PlotInput& input) {
  std::vector<Plot> made;
  for (const auto& [key, series] :
       grouped(series_of(input.results, "sorted"), {"layer", "score"})) {
    Json rows = Json::array();
    for (const metrics::Series* one : series) {
      add_points(*one, {{"method", method_of(*one)}, {"role", role_of(one->control)}},
                 {"share", "value"}, series.size(), rows);
    }
    if (rows.empty()) continue;
    // Few examples may lie far above all others: where a score has a cap, at the cap.
    double largest = 1;
    for (const Json& row : rows) largest = std::fmax(largest, number_of(row, "value"));
    const std::vector<std::string> methods = methods_of(series);
    made.push_back(PlotTemplate("sorted", "sorted", series.front()->metric)
                       .plot({{"values", std::move(rows)},
                              {"key", key},
                              {"methods", methods},
                              {"methods_listed", listed(methods)},
                              {"ticks", symlog_ticks(largest)}}));
  }
  return made;
}

std::vector<Plot> example_plots(const PlotInput& input) {
  std::vector<Plot> made;
  for (const auto& [key, series] : grouped(series_of(input.results, "examples"), {})) {
    const PlotTemplate pattern("examples", "examples", series.front()->metric);
    Json rows = Json::array();
    std::vector<std::string> panels;
    for (const metrics::Series* one : series) {
      const std::string place = text_of(one->params, "place");
      const std::string panel = pattern.word(place.empty() ? "panel" : "panel_at",
                                             {{"method", method_of(*one)},
                                              {"row", short_number(number_of(one->params, "row"))},
                                              {"place", place}});
      if (std::find(panels.begin(), panels.end(), panel) == panels.end()) {
        if (panels.size() >= kMostExamples) continue;
        panels.push_back(panel);
      }
      add_steps(*one, panel, rows);
    }
    if (rows.empty()) continue;
    place_by(rows, "panel", panels);
    made.push_back(pattern.plot({{"values", std::move(rows)},
                                 {"key", key},
                                 {"groups", names_of_groups(series)},
                                 {"panels", listed(panels)}}));
  }
  return made;
}

}  // namespace vestige::report
