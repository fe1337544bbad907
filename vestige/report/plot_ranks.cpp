// Mean ranks of methods with Nemenyi's critical difference, for metrics that passed their controls.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMostRankPanels = 6;

struct Ranks {
  Json values = Json::array();
  std::vector<std::string> metrics;
  std::vector<std::string> sentences;
};

void add_metric(const Json& metric, Ranks& ranks) {
  const double width = number_of(metric, "critical_difference");
  if (metric.value("controls_failed", false) || !std::isfinite(width)) return;
  const std::string name = text_of(metric, "metric");
  const bool known =
      std::find(ranks.metrics.begin(), ranks.metrics.end(), name) != ranks.metrics.end();
  if (known || ranks.metrics.size() == kMostRankPanels) return;
  double best = metrics::kUndefined;
  std::vector<std::string> apart;
  Json own = Json::array();
  for (const Json& method : list_of(metric, "methods")) {
    const double rank = number_of(method.value("rank", Json::object()), "value");
    if (!std::isfinite(rank)) continue;
    if (std::isnan(best)) best = rank;
    if (rank > best + width) apart.push_back(text_of(method, "method"));
    own.push_back({{"metric", name},
                   {"method", text_of(method, "method")},
                   {"rank", plot_number(rank)},
                   {"first", plot_number(best)},
                   {"reach", plot_number(best + width)},
                   {"share", plot_number(number_of(method, "best"))}});
  }
  if (own.size() < 2) return;
  ranks.metrics.push_back(name);
  ranks.sentences.push_back(
      apart.empty() ? fmt::format("{}: nobody is shown to be worse than the first", name)
                    : fmt::format("{}: worse than the first: {}", name, listed(apart)));
  for (Json& value : own) ranks.values.push_back(std::move(value));
}

}  // namespace

std::vector<Plot> rank_plot(const PlotInput& input) {
  Ranks ranks;
  for (const Json& metric : list_of(list_of(input.results.bench, "comparison"), "metrics")) {
    add_metric(metric, ranks);
  }
  if (ranks.values.empty()) return {};
  Plot plot{
      .name = "critical-difference",
      .section = "Comparison",
      .title = "Mean ranks over splits and originals, with the critical difference",
      .how =
          "Left is better. A method right of the grey bar is shown to be worse than the first "
          "(Nemenyi's test at 0.05, mean ranks over blocks); within it the order may be "
          "chance. Only metrics that passed their controls are here.",
      .alt = fmt::format("Mean ranks. {}.", listed(ranks.sentences)),
      .spec = {},
      .lead = "comparison"};
  plot.spec = new_spec(plot.title, plot.alt);
  Json y = untitled("method");
  y["sort"] = {{"field", "rank"}, {"op", "min"}};
  Json x = field("rank", "quantitative", "Mean rank");
  x["scale"] = {{"zero", false}};
  Json first = x;
  first["field"] = "first";
  plot.spec["data"] = {{"values", ranks.values}};
  plot.spec["facet"] = facet_by("metric");
  plot.spec["columns"] = 2;
  plot.spec["resolve"] = {{"scale", {{"y", "independent"}}}};
  plot.spec["spec"] = {
      {"width", 250},
      {"height", {{"step", 18}}},
      {"layer",
       {{{"mark", {{"type", "bar"}, {"color", "#8A8A8A"}, {"opacity", 0.25}, {"height", 18}}},
         {"encoding", {{"x", first}, {"x2", {{"field", "reach"}}}, {"y", y}}}},
        {{"mark", {{"type", "point"}, {"filled", true}, {"size", 60}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"tooltip",
            {field("method", "nominal", "Method"), field("rank", "quantitative", "Mean rank"),
             field("share", "quantitative", "First in this share of resamples")}}}}}}}};
  return {plot};
}

}  // namespace vestige::report
