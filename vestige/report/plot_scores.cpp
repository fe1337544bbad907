// Scores of rows and models: histograms of groups, scores in order, the scores of chosen rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

/// A histogram as steps: one point at the left of each bin and one at the end, as shares of the
/// group, because groups differ in size. `labels` are fields that every point carries.
void add_steps(const metrics::Series& series, const Json& labels, Json& values) {
  const std::vector<double>&left = column(series, "left"), &right = column(series, "right"),
        &count = column(series, "count");
  const std::size_t bins = std::min({left.size(), right.size(), count.size()});
  const double total = std::accumulate(count.begin(), count.end(), 0.0);
  if (bins == 0 || !(total > 0)) return;
  for (std::size_t bin = 0; bin <= bins; ++bin) {
    Json point = labels;
    point["x"] = plot_number(bin < bins ? left[bin] : right[bin - 1]);
    point["share"] = plot_number(bin < bins ? count[bin] / total : 0);
    values.push_back(std::move(point));
  }
}

/// Outlines of histograms, one panel per `panel`, groups told apart by colour and by dashes.
Json outlines(Json values, const std::vector<std::string>& panels,
              const std::vector<std::string>& groups, const std::string& x_title) {
  constexpr std::size_t kColumns = 3;
  Json x = field("x", "quantitative", x_title.c_str());
  x["scale"] = {{"zero", false}};
  Json y = field("share", "quantitative", "Share");
  y["axis"] = {{"format", "%"}, {"tickCount", 3}};
  Json color = untitled("group");
  color["sort"] = nullptr;
  color["scale"] = {{"domain", groups}};
  Json dash = untitled("group");
  dash["sort"] = nullptr;
  Json dashes = Json::array(
      {Json::array({1, 0}), Json::array({6, 2}), Json::array({2, 2}), Json::array({8, 2, 2, 2})});
  dash["scale"] = {{"domain", groups}, {"range", dashes}};
  Json spec;
  spec["facet"] = facet_by("panel");
  spec["facet"]["sort"] = place_by(values, "panel", panels);
  spec["data"] = {{"values", std::move(values)}};
  spec["columns"] = kColumns;
  const Json encoding = {{"x", x}, {"y", y}, {"color", color}, {"strokeDash", dash}};
  // The fill has no legend of its own: that of the lines shows colour and dashes.
  Json filled = encoding;
  filled.erase("strokeDash");
  filled.erase("color");
  filled["fill"] = color;
  filled["fill"]["legend"] = nullptr;
  filled["y"]["stack"] = nullptr;
  spec["spec"] = {
      {"width", 185},
      {"height", 95},
      {"layer",
       {{{"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"opacity", 0.16}}},
         {"encoding", filled}},
        {{"mark", {{"type", "line"}, {"interpolate", "step-after"}, {"strokeWidth", 1.5}}},
         {"encoding", encoding}}}}};
  return spec;
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

/// A plot without its specification.
Plot new_plot(std::string name, const PlotText& text, std::string alt) {
  Plot plot{.name = std::move(name),
            .section = text.section,
            .title = text.title,
            .how = text.how,
            .alt = std::move(alt),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  return plot;
}

/// Several groups of rows: their outlines over each other, as shares.
Json outlines_of_groups(const SeriesList& series, const PlotText& text) {
  Json values = Json::array();
  for (const metrics::Series* one : series) {
    add_steps(*one, {{"panel", method_of(*one)}, {"group", one->group}}, values);
  }
  return outlines(std::move(values), methods_of(series), names_of_groups(series), text.axis);
}

/// One group of rows: bars, as counts.
Json bars_of_group(const SeriesList& series, const PlotText& text) {
  Json values = Json::array();
  for (const metrics::Series* one : series) {
    const std::vector<double>&left = column(*one, "left"), &right = column(*one, "right"),
          &count = column(*one, "count");
    for (std::size_t bin = 0; bin < std::min({left.size(), right.size(), count.size()}); ++bin) {
      values.push_back({{"method", method_of(*one)},
                        {"left", plot_number(left[bin])},
                        {"right", plot_number(right[bin])},
                        {"count", plot_number(count[bin])}});
    }
  }
  const std::string group = series.front()->group;
  const std::string counted = group.empty() ? "Rows" : group + " rows";
  Json x = field("left", "quantitative", text.axis.c_str());
  x["bin"] = "binned";
  Json spec;
  spec["facet"] = facet_by("method");
  spec["facet"]["sort"] = place_by(values, "method", methods_of(series));
  spec["data"] = {{"values", values}};
  spec["columns"] = 3;
  spec["spec"] = {{"width", 185},
                  {"height", 90},
                  {"mark", {{"type", "bar"}, {"tooltip", true}}},
                  {"encoding",
                   {{"x", x},
                    {"x2", {{"field", "right"}}},
                    {"y", field("count", "quantitative", counted.c_str())}}}};
  return spec;
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
    const PlotText text =
        text_for("histogram", series.front()->metric, key,
                 {.section = "Scores of rows",
                  .title = "{}: scores by group",
                  .how = "Groups whose outlines coincide cannot be told apart by this score.",
                  .axis = "Score"});
    const std::vector<std::string> groups = names_of_groups(series);
    const bool one_group = groups.size() == 1;
    const Json spec = one_group ? bars_of_group(series, text) : outlines_of_groups(series, text);
    if (spec["data"]["values"].empty()) continue;
    Plot plot = new_plot("scores-" + file_name(key), text,
                         fmt::format("Histograms of {} for {}, one panel each.", listed(groups),
                                     listed(methods_of(series))));
    plot.spec.update(spec);
    made.push_back(std::move(plot));
  }
  return made;
}

std::vector<Plot> sorted_plots(const PlotInput& input) {
  std::vector<Plot> made;
  for (const auto& [key, series] :
       grouped(series_of(input.results, "sorted"), {"layer", "score"})) {
    Json values = Json::array();
    double largest = 1;
    for (const metrics::Series* one : series) {
      const std::vector<double>&share = column(*one, "share"), &value = column(*one, "value");
      for (const std::size_t i : thinned(std::min(share.size(), value.size()), series.size())) {
        if (std::isfinite(value[i])) largest = std::max(largest, value[i]);
        values.push_back({{"method", method_of(*one)},
                          {"role", role_of(one->control)},
                          {"share", plot_number(share[i])},
                          {"value", plot_number(value[i])}});
      }
    }
    if (values.empty()) continue;
    const std::vector<std::string> methods = methods_of(series);
    const PlotText text = text_for(
        "sorted", series.front()->metric, key,
        {.section = "Scores of rows",
         .title = "{} of every row, worst first",
         .how = "The height at 10 % is the score that the worst tenth of the rows exceeds; "
                "compare it with the retrained model's curve.",
         .axis = "Score"});
    Plot plot =
        new_plot("sorted-" + file_name(key), text,
                 fmt::format("Sorted {} over the share of rows for {}.", key, listed(methods)));
    const LineStyle style = line_style(methods, values);
    if (!style.params.empty()) plot.spec["params"] = style.params;
    plot.spec["data"] = {{"values", values}};
    plot.spec["width"] = 520;
    plot.spec["height"] = 260;
    plot.spec["mark"] = {{"type", "line"}, {"strokeWidth", 1.5}};
    Json x = field("share", "quantitative", "Share of rows");
    x["axis"] = {{"format", "%"}};
    // Few rows may lie far above all others: where a score has a cap, at the cap.
    Json y = field("value", "quantitative", text.axis.c_str());
    y["scale"] = {{"type", "symlog"}};
    y["axis"] = {{"values", symlog_ticks(largest)}};
    plot.spec["encoding"] = {
        {"x", x},
        {"y", y},
        {"color", style.color},
        {"strokeDash", style.dash},
        {"detail", {{"field", "method"}}},
        {"tooltip",
         {field("method", "nominal", "Model"), field("share", "quantitative", "Share of rows"),
          field("value", "quantitative", text.axis.c_str())}}};
    made.push_back(std::move(plot));
  }
  return made;
}

std::vector<Plot> example_plots(const PlotInput& input) {
  constexpr std::size_t kMostPanels = 36;
  std::vector<Plot> made;
  for (const auto& [key, series] : grouped(series_of(input.results, "examples"), {})) {
    Json values = Json::array();
    std::vector<std::string> panels;
    for (const metrics::Series* one : series) {
      const std::string place = text_of(one->params, "place");
      const double row = number_of(one->params, "row");
      const std::string panel = fmt::format("{}: row {}{}", method_of(*one), short_number(row),
                                            place.empty() ? "" : fmt::format(" ({})", place));
      if (std::find(panels.begin(), panels.end(), panel) == panels.end()) {
        if (panels.size() >= kMostPanels) continue;
        panels.push_back(panel);
      }
      add_steps(*one, {{"panel", panel}, {"group", one->group}}, values);
    }
    if (values.empty()) continue;
    const PlotText text = text_for(
        "examples", series.front()->metric, key,
        {.section = "Scores of rows",
         .title = "{} of chosen rows",
         .how =
             "Each panel is one row: two outlines that lie apart tell the groups of models apart.",
         .axis = "Score"});
    Plot plot = new_plot("examples-" + file_name(key), text,
                         fmt::format("Histograms of the statistic for {}.", listed(panels)));
    plot.spec.update(outlines(std::move(values), panels, names_of_groups(series), text.axis));
    plot.spec["resolve"] = {{"scale", {{"x", "independent"}}}};
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
