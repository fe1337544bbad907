// Scores of rows and models as histograms: epsilon, the statistic of chosen rows, attack scores,
// dependence, non-conformity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "vestige/report/plot_parts.h"
#include "vestige/report/read_results.h"

namespace vestige::report {
namespace {

/// A histogram as steps: one point at the left of each bin and one at the end, as shares of the
/// group, because groups differ in size. `labels` are fields that every point carries.
void add_steps(const SeriesView& series, const Json& labels, Json& values) {
  const std::vector<double> left = series.column("left"), right = series.column("right"),
                            count = series.column("count");
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
Json outlines(Json values, const std::vector<std::string>& panels, const Json& groups,
              const char* x_title, std::size_t columns) {
  Json x = field("x", "quantitative", x_title);
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
  spec["columns"] = columns;
  const Json encoding = {{"x", x}, {"y", y}, {"color", color}, {"strokeDash", dash}};
  // The fill has no legend of its own: that of the lines shows colour and dashes.
  Json filled = encoding;
  filled.erase("strokeDash");
  filled.erase("color");
  filled["fill"] = color;
  filled["fill"]["legend"] = nullptr;
  filled["y"]["stack"] = nullptr;
  spec["spec"] = {
      {"width", columns == 2 ? 290 : 185},
      {"height", columns == 2 ? 130 : 95},
      {"layer",
       {{{"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"opacity", 0.16}}},
         {"encoding", filled}},
        {{"mark", {{"type", "line"}, {"interpolate", "step-after"}, {"strokeWidth", 1.5}}},
         {"encoding", encoding}}}}};
  return spec;
}

Json names_of_groups(const std::vector<SeriesView>& series) {
  std::vector<std::string> names;
  for (const SeriesView& one : series) {
    if (std::find(names.begin(), names.end(), one.group) == names.end()) names.push_back(one.group);
  }
  return names;
}

/// What is particular about the histograms of one kind of score.
struct ScoreText {
  std::string name, section, title, how;
  const char* x_title;
};

std::vector<Plot> grouped_histograms(const std::vector<SeriesView>& series, const ScoreText& text) {
  Json values = Json::array();
  for (const SeriesView& one : series) {
    add_steps(one, {{"panel", method_of(one)}, {"group", one.group}}, values);
  }
  if (values.empty()) return {};
  const std::vector<std::string> methods = methods_of(series);
  Plot plot{.name = text.name,
            .section = text.section,
            .title = text.title,
            .how = text.how,
            .alt = fmt::format("Histograms of {} for {}, one panel each.",
                               listed(names_of_groups(series).get<std::vector<std::string>>()),
                               listed(methods)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  plot.spec.update(outlines(values, methods, names_of_groups(series), text.x_title, 3));
  return {plot};
}

Plot epsilon_histogram(const std::vector<SeriesView>& series) {
  Json values = Json::array();
  for (const SeriesView& one : series) {
    const std::vector<double> left = one.column("left"), right = one.column("right"),
                              count = one.column("count");
    for (std::size_t bin = 0; bin < std::min({left.size(), right.size(), count.size()}); ++bin) {
      values.push_back({{"method", method_of(one)},
                        {"left", plot_number(left[bin])},
                        {"right", plot_number(right[bin])},
                        {"count", plot_number(count[bin])}});
    }
  }
  const std::vector<std::string> methods = methods_of(series);
  Plot plot{.name = "epsilon-histogram",
            .section = "Epsilon of every forget row",
            .title = "How many forget rows have which ε",
            .how =
                "ε says how well the best attack tells unlearned from retrained models on one "
                "row: mass at the left is forgotten, mass at the right is remembered; the last "
                "bar holds everything beyond.",
            .alt = fmt::format("Histograms of epsilon over forget rows for {}.", listed(methods)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  Json x = field("left", "quantitative", "ε");
  x["bin"] = "binned";
  plot.spec["facet"] = facet_by("method");
  plot.spec["facet"]["sort"] = place_by(values, "method", methods);
  plot.spec["data"] = {{"values", values}};
  plot.spec["columns"] = 3;
  plot.spec["spec"] = {{"width", 185},
                       {"height", 90},
                       {"mark", {{"type", "bar"}, {"tooltip", true}}},
                       {"encoding",
                        {{"x", x},
                         {"x2", {{"field", "right"}}},
                         {"y", field("count", "quantitative", "Forget rows")}}}};
  return plot;
}

Plot epsilon_sorted(const std::vector<SeriesView>& series) {
  Json values = Json::array();
  for (const SeriesView& one : series) {
    const std::vector<double> share = one.column("share"), value = one.column("value");
    for (const std::size_t i : thinned(std::min(share.size(), value.size()), series.size())) {
      values.push_back({{"method", method_of(one)},
                        {"role", role_of(one.control)},
                        {"share", plot_number(share[i])},
                        {"value", plot_number(value[i])}});
    }
  }
  const std::vector<std::string> methods = methods_of(series);
  Plot plot{
      .name = "epsilon-sorted",
      .section = "Epsilon of every forget row",
      .title = "ε of every forget row, worst first",
      .how =
          "The height at 10 % is the ε that the worst tenth of the forget rows exceeds; a "
          "curve that stays above the floor remembers those rows better than retraining "
          "noise explains.",
      .alt = fmt::format("Sorted epsilon over the share of forget rows for {}.", listed(methods)),
      .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  const LineStyle style = line_style(methods, values);
  if (!style.params.empty()) plot.spec["params"] = style.params;
  plot.spec["data"] = {{"values", values}};
  plot.spec["width"] = 520;
  plot.spec["height"] = 260;
  plot.spec["mark"] = {{"type", "line"}, {"strokeWidth", 1.5}};
  Json x = field("share", "quantitative", "Share of forget rows");
  x["axis"] = {{"format", "%"}};
  // A row on which the pools separate perfectly has the cap, far above all others.
  Json y = field("value", "quantitative", "ε");
  y["scale"] = {{"type", "symlog"}};
  y["axis"] = {{"values", {0, 0.5, 1, 2, 3, 5, 10, 20, 50}}};
  plot.spec["encoding"] = {
      {"x", x},
      {"y", y},
      {"color", style.color},
      {"strokeDash", style.dash},
      {"detail", {{"field", "method"}}},
      {"tooltip",
       {field("method", "nominal", "Model"), field("share", "quantitative", "Share of rows"),
        field("value", "quantitative", "ε")}}};
  return plot;
}

/// Confidences of chosen rows under retrained and under unlearned models.
std::vector<Plot> chosen_rows(const std::vector<SeriesView>& all) {
  constexpr std::size_t kMostPanels = 36;
  std::vector<SeriesView> series;
  for (const SeriesView& one : all) {
    if (one.params().contains("row")) series.push_back(one);
  }
  Json values = Json::array();
  std::vector<std::string> panels;
  std::vector<std::string> groups;
  for (const SeriesView& one : series) {
    const std::string place = text_of(one.params(), "place");
    const double row = number_of(one.params(), "row");
    const std::string panel = fmt::format("{}: row {}{}", method_of(one), short_number(row),
                                          place.empty() ? "" : fmt::format(" ({})", place));
    if (std::find(panels.begin(), panels.end(), panel) == panels.end()) {
      if (panels.size() >= kMostPanels) continue;
      panels.push_back(panel);
    }
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) {
      groups.push_back(one.group);
    }
    add_steps(one, {{"panel", panel}, {"group", one.group}}, values);
  }
  if (values.empty()) return {};
  Plot plot{.name = "epsilon-examples",
            .section = "Epsilon of every forget row",
            .title = "What models say about chosen forget rows",
            .how =
                "Each panel is one forget row: how confident retrained models are of its label, "
                "and how confident unlearned ones are; two outlines that lie apart give the "
                "unlearned models away. Rows were chosen by how far the originals lie from the "
                "retrained models: largest, median and smallest.",
            .alt = fmt::format("Histograms of the statistic for {}.", listed(panels)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  plot.spec.update(outlines(values, panels, groups, "Scaled confidence", 3));
  plot.spec["resolve"] = {{"scale", {{"x", "independent"}}}};
  return {plot};
}

}  // namespace

std::vector<Plot> epsilon_plots(const PlotInput& input) {
  std::vector<Plot> made;
  std::vector<SeriesView> histograms, examples;
  for (SeriesView& series : series_of(input.results, "histogram", "epsilon")) {
    (series.params().contains("row") ? examples : histograms).push_back(std::move(series));
  }
  if (!histograms.empty()) made.push_back(epsilon_histogram(histograms));
  const std::vector<SeriesView> sorted = series_of(input.results, "sorted", "epsilon");
  if (!sorted.empty()) made.push_back(epsilon_sorted(sorted));
  for (Plot& plot : chosen_rows(examples)) made.push_back(std::move(plot));
  return made;
}

std::vector<Plot> score_plots(const PlotInput& input) {
  // Histograms of one metric and one layer or score belong together.
  std::vector<std::string> keys;
  std::map<std::string, std::vector<SeriesView>> by_key;
  for (SeriesView& series : series_of(input.results, "histogram")) {
    if (series.metric == "epsilon" || series.metric.starts_with("epsilon.")) continue;
    std::string key = series.metric;
    for (const char* part : {"layer", "score"}) {
      const std::string value = text_of(series.params(), part);
      if (!value.empty()) key += " " + value;
    }
    if (by_key.find(key) == by_key.end()) keys.push_back(key);
    by_key[key].push_back(std::move(series));
  }
  std::vector<Plot> made;
  for (const std::string& key : keys) {
    ScoreText text{.name = "scores-" + file_name(key),
                   .section = "Scores of rows",
                   .title = fmt::format("{}: scores by group", key),
                   .how = "Groups whose outlines coincide cannot be told apart by this score.",
                   .x_title = "Score"};
    if (key.starts_with("iam.")) {
      text.title = fmt::format("{}: how much of each row the model still holds", key);
      text.how =
          "0 is a row that the model never saw, 1 a row that it fully holds: after good "
          "unlearning forget rows lie where the retrained model's forget rows lie, not at 0 "
          "by force.";
      text.x_title = "Membership score";
    } else if (key.starts_with("sde.")) {
      text.title = fmt::format("{}: dependence of the layer on the forget rows", key);
      text.how =
          "The outline of the forget sets is read against two references: sets that were in "
          "training and sets that were not; it should lie on the second.";
      text.x_title = "HSIC of split halves";
    } else if (key.starts_with("conformal")) {
      text.title = fmt::format("{}: non-conformity of calibration and forget rows", key);
      text.how =
          "A small non-conformity means that the true label fits the model; forget rows that "
          "fit better than fresh calibration rows are remembered.";
      text.x_title = "Non-conformity";
    }
    for (Plot& plot : grouped_histograms(by_key[key], text)) made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
