// Curves: values over a setting, series over a parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

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

}  // namespace

std::vector<Plot> setting_curves(const PlotInput& input) {
  std::vector<Plot> made;
  for (const OverSetting& curve : over_settings(input.blocks)) {
    Json rows = Json::array();
    std::set<std::string> points;
    for (const Block& block : curve.blocks) {
      for (const study::StudyRow* row : block.rows) {
        if (!std::isfinite(row->row.value)) continue;
        const Json at = plot_number(number_of(row->row.settings, curve.setting.c_str()));
        points.insert(at.dump());
        rows.push_back({{"metric", block.metric},
                        {"method", method_of(row->row)},
                        {"model", row->row.subject.id()},
                        {"role", role_of(row->row.control)},
                        {"at", at},
                        {"value", plot_number(row->row.value)}});
      }
    }
    if (points.size() < 2) continue;
    const std::vector<std::string> methods = method_order(curve.blocks);
    made.push_back(PlotTemplate("over", "over", curve.blocks.front().metric)
                       .plot({{"values", std::move(rows)},
                              {"key", curve.metric},
                              {"setting", curve.setting},
                              {"methods", methods},
                              {"methods_listed", listed(methods)}}));
  }
  return made;
}

std::vector<Plot> parameter_curves(const PlotInput& input) {
  std::vector<Plot> made;
  for (const auto& [metric, series] : grouped(series_of(input.results, "curve"), {})) {
    Json rows = Json::array();
    for (const metrics::Series* one : series) {
      add_points(*one,
                 {{"method", method_of(*one)},
                  {"model", one->subject.id()},
                  {"role", role_of(one->control)}},
                 {"x", "y", "lower", "upper"}, 1, rows);
    }
    if (rows.empty()) continue;
    const std::vector<std::string> methods = methods_of(series);
    place_by(rows, "method", methods);
    const PlotTemplate pattern("curve", "curve", metric);
    const Json& params = series.front()->params;
    Json values = {{"values", std::move(rows)},
                   {"metric", metric},
                   {"over", text_of(params, "x")},
                   {"methods_listed", listed(methods)}};
    values["key"] = pattern.word(text_of(params, "x").empty() ? "key_alone" : "key_over", values);
    values["x_scale"] = nullptr;
    if (text_of(params, "scale") == "log") values["x_scale"] = {{"type", "log"}};
    // A value of the axis that a rule of the family chooses.
    values["mark"] = plot_number(number_of(params, "mark"));
    if (values["mark"].is_null()) values["rule"] = nullptr;
    made.push_back(pattern.plot(std::move(values)));
  }
  return made;
}

}  // namespace vestige::report
