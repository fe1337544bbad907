// Curves: ROC of attacks, conformal values over alpha and over the calibration rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/report/plot_parts.h"
#include "vestige/report/read_results.h"

namespace vestige::report {
namespace {

struct RocData {
  Json values = Json::array();
  double smallest = 1;  ///< positive false positive rate
};

RocData roc_values(const std::vector<SeriesView>& series) {
  RocData data;
  for (const SeriesView& one : series) {
    const std::vector<double> fpr = one.column("fpr"), tpr = one.column("tpr");
    for (const std::size_t i : thinned(std::min(fpr.size(), tpr.size()), series.size())) {
      if (fpr[i] > 0) data.smallest = std::min(data.smallest, fpr[i]);
      data.values.push_back({{"method", method_of(one)},
                             {"role", role_of(one.control)},
                             {"fpr", plot_number(fpr[i])},
                             {"tpr", plot_number(tpr[i])}});
    }
  }
  return data;
}

Json roc_panel(const LineStyle& style, bool logarithmic, double low) {
  Json x = field("fpr", "quantitative", "False positive rate");
  Json y = field("tpr", "quantitative", "True positive rate");
  Json line_x = x, line_y = y;
  if (logarithmic) {
    x["scale"] = {{"type", "log"}, {"domain", Json::array({low, 1})}, {"nice", false}};
    y["scale"] = x["scale"];
    x["axis"] = {{"format", "~g"}, {"tickCount", 4}};
    y["axis"] = x["axis"];
    x["title"] = "False positive rate, log";
    y["title"] = "True positive rate, log";
  }
  line_x["scale"] = x.contains("scale") ? x["scale"] : Json{{"domain", Json::array({0, 1})}};
  line_y["scale"] = line_x["scale"];
  const double start = logarithmic ? low : 0;
  Json chance = Json::array();
  for (const double at : {start, 1.0}) chance.push_back({{"fpr", at}, {"tpr", at}});
  Json curve = {{"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"clip", true}}},
                {"encoding",
                 {{"x", x},
                  {"y", y},
                  {"color", style.color},
                  {"strokeDash", style.dash},
                  {"detail", {{"field", "method"}}},
                  {"order", {{"field", "fpr"}}},
                  {"tooltip",
                   {field("method", "nominal", "Model"), field("fpr", "quantitative", "FPR"),
                    field("tpr", "quantitative", "TPR")}}}}};
  if (logarithmic) curve["transform"] = only("datum.fpr > 0 && datum.tpr > 0");
  Json diagonal = {
      {"data", {{"values", chance}}},
      {"mark",
       {{"type", "line"}, {"strokeWidth", 1}, {"strokeDash", {1, 3}}, {"color", "#8A8A8A"}}},
      {"encoding", {{"x", x}, {"y", y}}}};
  return {{"width", 290}, {"height", 250}, {"layer", Json::array({diagonal, curve})}};
}

/// The setting that most rows of a metric have apart from alpha: score and rule of the first row.
std::string kind_of(const metrics::Row& row) {
  return text_of(row.params, "score") + "|" + text_of(row.params, "rule");
}

std::vector<Plot> over_alpha(const PlotInput& input) {
  Json values = Json::array();
  std::vector<Block> used;
  std::string kind;
  for (const Block& block : input.blocks) {
    if (!block.metric.starts_with("conformal.cr.")) continue;
    const metrics::Row& first = block.rows.front()->row;
    if (!first.params.contains("alpha")) continue;
    if (kind.empty()) kind = kind_of(first);
    if (kind_of(first) != kind) continue;
    if (!used.empty() && used.front().audit != block.audit) continue;
    used.push_back(block);
    for (const study::StudyRow* row : block.rows) {
      if (!std::isfinite(row->row.value)) continue;
      values.push_back({{"metric", block.metric},
                        {"method", method_of(row->row)},
                        {"model", row->row.model},
                        {"role", role_of(metrics::name(row->row.control))},
                        {"alpha", plot_number(number_of(row->row.params, "alpha"))},
                        {"value", plot_number(row->row.value)}});
    }
  }
  std::set<std::string> alphas;
  for (const Json& value : values) alphas.insert(value["alpha"].dump());
  if (alphas.size() < 2) return {};
  const std::vector<std::string> methods = method_order(used);
  Plot plot{.name = "cr-alpha",
            .section = "Conformal prediction",
            .title = "CR over α: coverage per set size",
            .how =
                "α is the error rate that the prediction sets allow; on forget rows a lower CR "
                "means more forgetting, on test rows a higher one means more use, and a ranking "
                "that changes with α is not one to rely on.",
            .alt = fmt::format("CR against alpha for {}.", listed(methods)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  const LineStyle style = line_style(methods, values);
  if (!style.params.empty()) plot.spec["params"] = style.params;
  Json y = field("value", "quantitative", "CR");
  y["scale"] = {{"zero", false}};
  plot.spec["data"] = {{"values", values}};
  plot.spec["facet"] = facet_by("metric");
  plot.spec["columns"] = 2;
  plot.spec["spec"] = {
      {"width", 290},
      {"height", 190},
      {"mark", {{"type", "line"}, {"point", {{"size", 22}}}, {"strokeWidth", 1.5}}},
      {"encoding",
       {{"x", field("alpha", "quantitative", "α")},
        {"y", y},
        {"color", style.color},
        {"strokeDash", style.dash},
        {"detail", {{"field", "model"}}},
        {"tooltip",
         {field("model", "nominal", "Model"), field("alpha", "quantitative", "α"),
          field("value", "quantitative", "CR")}}}}};
  return {plot};
}

/// Other curves: a value over a parameter that the series names.
std::vector<Plot> parameter_curves(const PlotInput& input) {
  std::map<std::string, std::vector<SeriesView>> by_metric;
  for (SeriesView& series : series_of(input.results, "curve")) {
    by_metric[series.metric].push_back(std::move(series));
  }
  std::vector<Plot> made;
  for (const auto& [metric, series] : by_metric) {
    Json values = Json::array();
    for (const SeriesView& one : series) {
      const std::vector<double> x = one.column("x"), y = one.column("y"),
                                lower = one.column("lower"), upper = one.column("upper");
      for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        values.push_back({{"method", method_of(one)},
                          {"role", role_of(one.control)},
                          {"x", plot_number(x[i])},
                          {"y", plot_number(y[i])},
                          {"lower", i < lower.size() ? plot_number(lower[i]) : nullptr},
                          {"upper", i < upper.size() ? plot_number(upper[i]) : nullptr}});
      }
    }
    if (values.empty()) continue;
    const std::string over = text_of(series.front().params(), "x");
    const std::vector<std::string> methods = methods_of(series);
    Plot plot{.name = "curve-" + file_name(metric),
              .section = metric.starts_with("conformal") ? "Conformal prediction" : "Curves",
              .title = fmt::format("{} over {}", metric, over.empty() ? "its parameter" : over),
              .how =
                  "A curve that is still moving at its right end has not settled: more of what "
                  "the axis counts would change the value; bands are intervals.",
              .alt = fmt::format("{} for {}.", metric, listed(methods)),
              .spec = {}};
    plot.spec = new_spec(plot.title, plot.alt);
    Json x = field("x", "quantitative", nullptr);
    x["title"] = over;
    Json y = field("y", "quantitative", nullptr);
    y["title"] = metric;
    y["scale"] = {{"zero", false}};
    Json low = y;
    low["field"] = "lower";
    plot.spec["facet"] = facet_by("method");
    plot.spec["facet"]["sort"] = place_by(values, "method", methods);
    plot.spec["data"] = {{"values", values}};
    plot.spec["columns"] = 3;
    plot.spec["spec"] = {{"width", 185},
                         {"height", 110},
                         {"layer",
                          {{{"mark", {{"type", "area"}, {"opacity", 0.2}}},
                            {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "upper"}}}}}},
                           {{"mark", {{"type", "line"}, {"point", {{"size", 18}}}}},
                            {"encoding", {{"x", x}, {"y", y}}}}}}};
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace

std::vector<Plot> roc_plots(const PlotInput& input) {
  std::vector<std::string> attacks;
  std::map<std::string, std::vector<SeriesView>> by_attack;
  for (SeriesView& series : series_of(input.results, "roc")) {
    if (series.column("fpr").empty()) continue;
    std::string attack = series.metric;
    for (const char* part : {"form", "score"}) {
      const std::string value = text_of(series.params(), part);
      if (!value.empty()) attack += fmt::format(" ({})", value);
    }
    if (by_attack.find(attack) == by_attack.end()) attacks.push_back(attack);
    by_attack[attack].push_back(std::move(series));
  }
  std::vector<Plot> made;
  for (const std::string& attack : attacks) {
    const std::vector<SeriesView>& series = by_attack[attack];
    const RocData data = roc_values(series);
    const std::vector<std::string> methods = methods_of(series);
    Plot plot{
        .name = "roc-" + file_name(attack),
        .section = "Attacks",
        .title = fmt::format("ROC of {}", attack),
        .how =
            "An attack that is no better than chance lies on the dotted diagonal; compare "
            "methods with the retrained model's curve rather than with the diagonal, and "
            "read the logarithmic axes for what a cautious attacker learns.",
        .alt = fmt::format("ROC curves on linear and logarithmic axes for {}.", listed(methods)),
        .spec = {}};
    plot.spec = new_spec(plot.title, plot.alt);
    const LineStyle style = line_style(methods, data.values);
    if (!style.params.empty()) plot.spec["params"] = style.params;
    plot.spec["data"] = {{"values", data.values}};
    const double low =
        std::pow(10.0, std::clamp(std::floor(std::log10(data.smallest)), -5.0, -1.0));
    plot.spec["hconcat"] = Json::array({roc_panel(style, false, low), roc_panel(style, true, low)});
    made.push_back(std::move(plot));
  }
  return made;
}

std::vector<Plot> conformal_plots(const PlotInput& input) {
  std::vector<Plot> made = over_alpha(input);
  for (Plot& plot : parameter_curves(input)) made.push_back(std::move(plot));
  return made;
}

}  // namespace vestige::report
