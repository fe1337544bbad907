// Curves: values over a setting, series over a parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

/// Values of metrics over one of their settings, for one plot.
struct OverSetting {
  std::string metric;   ///< the id, or what the ids of the plot have in common
  std::string setting;  ///< "alpha"
  Json others;          ///< the settings that all points share
  std::string audit;
  std::vector<Block> blocks{};
};

/// Metrics that say over which setting their values make a curve, by the words that they share.
std::vector<OverSetting> over_settings(const std::vector<Block>& blocks) {
  std::vector<OverSetting> found;
  for (const Block& block : blocks) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    if (info == nullptr || info->over.empty()) continue;
    const std::string over(info->over);
    Json others = block.rows.front()->row.settings;
    if (!others.contains(over)) continue;
    others.erase(over);
    const metrics::SeriesInfo* words = metrics::find_series("over", block.metric);
    const std::string metric = words == nullptr ? block.metric : std::string(words->metric);
    const auto same = [&](const OverSetting& one) {
      return one.metric == metric && one.setting == over;
    };
    auto place = std::find_if(found.begin(), found.end(), same);
    if (place == found.end()) place = found.insert(place, {metric, over, others, block.audit, {}});
    if (place->others == others && place->audit == block.audit) place->blocks.push_back(block);
  }
  return found;
}

std::vector<Plot> setting_curve(const OverSetting& curve) {
  Json values = Json::array();
  std::set<std::string> points;
  for (const Block& block : curve.blocks) {
    for (const study::StudyRow* row : block.rows) {
      if (!std::isfinite(row->row.value)) continue;
      const Json at = plot_number(number_of(row->row.settings, curve.setting.c_str()));
      points.insert(at.dump());
      values.push_back({{"metric", block.metric},
                        {"method", method_of(row->row)},
                        {"model", row->row.subject.id()},
                        {"role", role_of(row->row.control)},
                        {"at", at},
                        {"value", plot_number(row->row.value)}});
    }
  }
  if (points.size() < 2) return {};
  const std::vector<std::string> methods = method_order(curve.blocks);
  const PlotText text =
      text_for("over", curve.blocks.front().metric, curve.metric,
               {.section = "Curves",
                .title = fmt::format("{{}} over {}", curve.setting),
                .how = "A ranking of methods that changes along the axis is not one to rely on.",
                .axis = curve.setting});
  Plot plot{
      .name = fmt::format("over-{}-{}", file_name(curve.setting), file_name(curve.metric)),
      .section = text.section,
      .title = text.title,
      .how = text.how,
      .alt = fmt::format("{} against {} for {}.", curve.metric, curve.setting, listed(methods)),
      .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  const LineStyle style = line_style(methods, values);
  if (!style.params.empty()) plot.spec["params"] = style.params;
  Json y = field("value", "quantitative", curve.metric.c_str());
  y["scale"] = {{"zero", false}};
  plot.spec["data"] = {{"values", values}};
  plot.spec["facet"] = facet_by("metric");
  plot.spec["columns"] = 2;
  plot.spec["spec"] = {
      {"width", 290},
      {"height", 190},
      {"mark", {{"type", "line"}, {"point", {{"size", 22}}}, {"strokeWidth", 1.5}}},
      {"encoding",
       {{"x", field("at", "quantitative", text.axis.c_str())},
        {"y", y},
        {"color", style.color},
        {"strokeDash", style.dash},
        {"detail", {{"field", "model"}}},
        {"tooltip",
         {field("model", "nominal", "Model"), field("at", "quantitative", text.axis.c_str()),
          field("value", "quantitative", "Value")}}}}};
  return {plot};
}

}  // namespace

std::vector<Plot> setting_curves(const PlotInput& input) {
  std::vector<Plot> made;
  for (const OverSetting& curve : over_settings(input.blocks)) {
    for (Plot& plot : setting_curve(curve)) made.push_back(std::move(plot));
  }
  return made;
}

std::vector<Plot> parameter_curves(const PlotInput& input) {
  std::vector<Plot> made;
  for (const auto& [metric, series] : grouped(series_of(input.results, "curve"), {})) {
    Json values = Json::array();
    for (const metrics::Series* one : series) {
      const std::vector<double>&x = column(*one, "x"), &y = column(*one, "y"),
            &lower = column(*one, "lower"), &upper = column(*one, "upper");
      for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        values.push_back({{"method", method_of(*one)},
                          {"model", one->subject.id()},
                          {"role", role_of(one->control)},
                          {"x", plot_number(x[i])},
                          {"y", plot_number(y[i])},
                          {"lower", i < lower.size() ? plot_number(lower[i]) : nullptr},
                          {"upper", i < upper.size() ? plot_number(upper[i]) : nullptr}});
      }
    }
    if (values.empty()) continue;
    const std::string over = text_of(series.front()->params, "x");
    const std::vector<std::string> methods = methods_of(series);
    const std::string name =
        fmt::format("{} over {}", metric, over.empty() ? "its parameter" : over);
    const PlotText text =
        text_for("curve", metric, name,
                 {.section = "Curves",
                  .title = "{}",
                  .how = "A curve that is still moving at its right end has not settled: more of "
                         "what the axis counts would change the value; bands are intervals.",
                  .axis = over});
    Plot plot{.name = "curve-" + file_name(metric),
              .section = text.section,
              .title = text.title,
              .how = text.how,
              .alt = fmt::format("{} for {}.", metric, listed(methods)),
              .spec = {}};
    plot.spec = new_spec(plot.title, plot.alt);
    Json x = field("x", "quantitative", text.axis.c_str());
    if (text_of(series.front()->params, "scale") == "log") x["scale"] = {{"type", "log"}};
    Json y = field("y", "quantitative", metric.c_str());
    y["scale"] = {{"zero", false}};
    Json low = y;
    low["field"] = "lower";
    const Json detail = {{"field", "model"}};
    plot.spec["facet"] = facet_by("method");
    plot.spec["facet"]["sort"] = place_by(values, "method", methods);
    plot.spec["data"] = {{"values", values}};
    plot.spec["columns"] = 3;
    plot.spec["spec"] = {
        {"width", 185},
        {"height", 110},
        {"layer",
         {{{"mark", {{"type", "area"}, {"opacity", 0.2}}},
           {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "upper"}}}, {"detail", detail}}}},
          {{"mark", {{"type", "line"}, {"point", {{"size", 18}}}}},
           {"encoding", {{"x", x}, {"y", y}, {"detail", detail}}}}}}};
    // A value of the axis that a rule of the family chooses.
    const double mark = number_of(series.front()->params, "mark");
    if (std::isfinite(mark)) {
      Json at = x;
      at.erase("field");
      at["datum"] = plot_number(mark);
      plot.spec["spec"]["layer"].push_back(
          {{"mark", {{"type", "rule"}, {"strokeDash", {4, 3}}}}, {"encoding", {{"x", at}}}});
    }
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
