// ROC curves of all attacks as small multiples on logarithmic axes: what a cautious attacker
// learns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMostPoints = 60;  ///< of a curve; panels are 200 pixels wide

struct RocPanels {
  Json values = Json::array();
  std::vector<std::string> attacks;
  std::vector<std::string> methods;  ///< floor first
  std::string words;                 ///< TPR at 1 % and 0.1 % in a sentence per attack
  double lowest = 1;                 ///< 1 / negatives, the smallest rate that exists
};

/// Largest true positive rate at a false positive rate of at most `rate`.
double tpr_at(const std::vector<double>& fpr, const std::vector<double>& tpr, double rate) {
  double best = 0;
  for (std::size_t i = 0; i < std::min(fpr.size(), tpr.size()); ++i) {
    if (fpr[i] <= rate) best = std::max(best, tpr[i]);
  }
  return best;
}

double smallest_rate(const metrics::Series& series) {
  const double negatives = number_of(series.params, "negatives");
  if (negatives > 0) return 1 / negatives;
  double smallest = 1;
  for (const double rate : column(series, "fpr")) {
    if (rate > 0) smallest = std::min(smallest, rate);
  }
  return smallest;
}

/// Points evenly spaced in the logarithm of the false positive rate, the last of each place.
void add_curve(const metrics::Series& series, const std::string& attack, RocPanels& panels) {
  const std::vector<double>&fpr = column(series, "fpr"), &tpr = column(series, "tpr");
  const double lowest = smallest_rate(series);
  panels.lowest = std::min(panels.lowest, lowest);
  const double width = -std::log(lowest) / static_cast<double>(kMostPoints);
  const std::size_t count = std::min(fpr.size(), tpr.size());
  const auto place = [&](std::size_t i) {
    return width > 0 ? std::floor(std::log(fpr[i] / lowest) / width) : 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!(fpr[i] > 0) || !(tpr[i] > 0)) continue;
    if (i + 1 < count && place(i) == place(i + 1)) continue;
    panels.values.push_back({{"attack", attack},
                             {"method", method_of(series)},
                             {"role", role_of(series.control)},
                             {"fpr", plot_number(fpr[i])},
                             {"tpr", plot_number(tpr[i])}});
  }
}

RocPanels panels_of(const SeriesList& drawn) {
  RocPanels panels;
  std::set<std::string> seen;
  for (const auto& [attack, series] : grouped(drawn, {"form", "score"})) {
    // Of several forms of one attack the first is drawn; the others are in results.json.
    if (!seen.insert(series.front()->metric).second) continue;
    panels.attacks.push_back(series.front()->metric);
    std::string rates;
    for (const metrics::Series* one : series) {
      add_curve(*one, panels.attacks.back(), panels);
      const auto& fpr = column(*one, "fpr");
      const auto& tpr = column(*one, "tpr");
      const double lowest = smallest_rate(*one);
      const auto rate = [&](double at) {
        return at < lowest ? std::string("none")
                           : fmt::format("{:.1f} %", 100 * tpr_at(fpr, tpr, at));
      };
      rates += fmt::format("{}{} {} and {}", rates.empty() ? "" : ", ", method_of(*one), rate(0.01),
                           rate(0.001));
    }
    panels.words += fmt::format(" {}: {}.", panels.attacks.back(), rates);
  }
  SeriesList all;
  for (const metrics::Series* one : drawn) all.push_back(one);
  panels.methods = methods_of(all);
  return panels;
}

Json panel(const LineStyle& style, double low, double lowest) {
  Json x = field("fpr", "quantitative", "Share of forgotten rows called members, log");
  Json y = field("tpr", "quantitative", "Share of kept rows called members, log");
  x["scale"] = {{"type", "log"}, {"domain", Json::array({low, 1})}, {"nice", false}};
  y["scale"] = x["scale"];
  x["axis"] = {{"format", "~g"}, {"tickCount", 3}};
  y["axis"] = x["axis"];
  const auto fixed = [](const Json& values) { return Json{{"values", values}}; };
  Json shade = {{"data", fixed({{{"from", low}, {"to", lowest}}})},
                {"mark", {{"type", "rect"}, {"color", "#8A8A8A"}, {"opacity", 0.18}}},
                {"encoding", {{"x", x}, {"x2", {{"field", "to"}}}}}};
  shade["encoding"]["x"]["field"] = "from";
  Json rates = {{"data", fixed({{{"fpr", 0.01}}, {{"fpr", 0.001}}})},
                {"transform", only(fmt::format("datum.fpr >= {}", lowest))},
                {"mark", {{"type", "rule"}, {"strokeWidth", 0.6}, {"color", "#8A8A8A"}}},
                {"encoding", {{"x", x}}}};
  Json chance = {
      {"data", fixed({{{"fpr", low}, {"tpr", low}}, {{"fpr", 1}, {"tpr", 1}}})},
      {"mark",
       {{"type", "line"}, {"strokeWidth", 1}, {"strokeDash", {1, 3}}, {"color", "#8A8A8A"}}},
      {"encoding", {{"x", x}, {"y", y}}}};
  Json curve = {{"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}}},
                {"encoding",
                 {{"x", x},
                  {"y", y},
                  {"color", style.color},
                  {"strokeDash", style.dash},
                  {"detail", {{"field", "method"}}},
                  {"order", {{"field", "fpr"}}},
                  {"tooltip",
                   {field("attack", "nominal", "Attack"), field("method", "nominal", "Model"),
                    field("fpr", "quantitative", "FPR"), field("tpr", "quantitative", "TPR")}}}}};
  return {{"width", 215}, {"height", 190}, {"layer", Json::array({shade, rates, chance, curve})}};
}

}  // namespace

std::vector<Plot> roc_plots(const PlotInput& input) {
  SeriesList drawn = series_of(input.results, "roc");
  // The constant predictor's curve is the diagonal.
  std::erase_if(drawn, [](const metrics::Series* one) {
    return column(*one, "fpr").empty() || one->control == metrics::Control::collapsed;
  });
  if (drawn.empty()) return {};
  RocPanels panels = panels_of(drawn);
  if (panels.values.empty()) return {};
  Plot plot{
      .name = "roc",
      .section = "Attacks",
      .title = "ROC of every attack: kept rows are the positive class",
      .how =
          "An attack that learns nothing lies on the dotted diagonal. Compare a method with the "
          "retrained models' curve, not with the diagonal; where it follows the originals' "
          "curve, nothing was forgotten. Thin lines: 1 and 0.1 % of forgotten rows called "
          "members; the grey part lies below one row and cannot be measured.",
      .alt = fmt::format("ROC curves of {} for {}. Kept rows found at 1 and 0.1 % of forgotten "
                         "rows:{}",
                         listed(panels.attacks), listed(panels.methods), panels.words),
      .spec = {},
      .lead = "roc"};
  plot.spec = new_spec(plot.title, plot.alt);
  const LineStyle style = line_style(panels.methods, panels.values);
  if (!style.params.empty()) plot.spec["params"] = style.params;
  const double low = std::pow(10.0, std::clamp(std::floor(std::log10(panels.lowest)), -5.0, -1.0));
  plot.spec["facet"] = facet_by("attack");
  plot.spec["facet"]["sort"] = place_by(panels.values, "attack", panels.attacks);
  plot.spec["data"] = {{"values", panels.values}};
  plot.spec["columns"] = 3;
  plot.spec["spec"] = panel(style, low, panels.lowest);
  return {plot};
}

}  // namespace vestige::report
