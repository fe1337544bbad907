// Values of methods with their intervals, beside the controls; graded retrains.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

using metrics::Control;
using study::StudyRow;

constexpr std::size_t kMostPanels = 24;  // of one plot; the rest is in the table

Json value_of(const StudyRow& row, const std::string& panel) {
  Json json = {{"metric", panel},
               {"method", method_of(row.row)},
               {"model", row.row.subject.id()},
               {"role", role_of(row.row.control)},
               {"value", plot_number(row.row.value)},
               {"lower", plot_number(row.row.lower)},
               {"upper", plot_number(row.row.upper)},
               {"status", metrics::name(row.row.status)}};
  if (!row.arm.empty()) json["arm"] = row.arm;
  return json;
}

/// "finetune 0.08 (0.05 to 0.1)", per method; the first model of each.
std::string in_words(const Block& block) {
  std::string text;
  std::set<std::string> seen;
  for (const StudyRow* row : block.rows) {
    const std::string method = method_of(row->row);
    if (!seen.insert(method).second || seen.size() > 12) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", method, short_number(row->row.value));
    if (std::isfinite(row->row.lower) && std::isfinite(row->row.upper)) {
      text +=
          fmt::format(" ({} to {})", short_number(row->row.lower), short_number(row->row.upper));
    }
  }
  return fmt::format("{}: {}.", block.label(), text);
}

Json reference_line(const char* role, const Json& dash, const RoleStyle& style) {
  Json x = field("value", "quantitative", nullptr);
  return {{"transform", only(Json{{"field", "role"}, {"equal", role}})},
          {"mark", {{"type", "rule"}, {"strokeDash", dash}, {"strokeWidth", 1}, {"opacity", 0.6}}},
          {"encoding", {{"x", x}, {"color", style.color}}}};
}

/// One panel per metric: methods downwards, the value to the right.
Json panels(Json& values, const std::vector<std::string>& order, std::size_t columns) {
  const RoleStyle style = role_style(values);
  Json x = field("value", "quantitative", nullptr);
  x["title"] = nullptr;
  x["scale"] = {{"zero", false}, {"nice", true}};
  x["axis"] = {{"tickCount", 4}, {"format", "~r"}};
  Json y = field("method", "nominal", nullptr);
  y["title"] = nullptr;
  y["sort"] = place_by(values, "method", order);
  Json low = x;
  low["field"] = "lower";
  const Json tooltip = {field("model", "nominal", "Model"), field("value", "quantitative", "Value"),
                        field("lower", "quantitative", "From"),
                        field("upper", "quantitative", "To"), field("status", "nominal", "Status")};
  Json layers = Json::array();
  layers.push_back(reference_line("retrained (floor)", Json::array({7, 3}), style));
  layers.push_back(reference_line("original (ceiling)", Json::array({2, 2}), style));
  layers.push_back(
      {{"transform", only("isValid(datum.lower) && isValid(datum.upper)")},
       {"mark", {{"type", "rule"}, {"strokeWidth", 1.5}}},
       {"encoding", {{"x", low}, {"x2", {{"field", "upper"}}}, {"y", y}, {"color", style.color}}}});
  Json hollow = {{"condition", {{"test", "datum.status === 'unreliable'"}, {"value", 0}}},
                 {"value", 1}};
  layers.push_back({{"mark",
                     {{"type", "point"},
                      {"filled", true},
                      {"size", 55},
                      {"opacity", 1},
                      {"strokeWidth", 1.5},
                      {"strokeOpacity", 1}}},
                    {"encoding",
                     {{"x", x},
                      {"y", y},
                      {"shape", style.shape},
                      {"color", style.color},
                      {"stroke", style.color},
                      {"fillOpacity", hollow},
                      {"tooltip", tooltip}}}});
  Json spec;
  spec["facet"] = facet_by("metric");
  spec["columns"] = columns;
  spec["spec"] = {
      {"width", columns == 1 ? 520 : 270}, {"height", {{"step", 17}}}, {"layer", layers}};
  spec["resolve"] = {{"scale", {{"x", "independent"}}}};
  return spec;
}

}  // namespace

std::vector<Plot> value_plots(const PlotInput& input) {
  std::vector<std::string> families;
  std::map<std::string, std::vector<Block>> by_family;
  for (const Block& block : input.main) {
    const bool drawn = std::any_of(block.rows.begin(), block.rows.end(), [](const StudyRow* row) {
      return row->row.control == Control::none && std::isfinite(row->row.value);
    });
    if (!drawn) continue;
    const std::string family = family_of(block.metric);
    if (by_family.find(family) == by_family.end()) families.push_back(family);
    by_family[family].push_back(block);
  }
  std::vector<Plot> made;
  for (const std::string& family : families) {
    std::vector<Block>& blocks = by_family[family];
    if (blocks.size() > kMostPanels) blocks.resize(kMostPanels);
    Plot plot{.name = "values-" + file_name(family),
              .section = "Values of the methods",
              .title = fmt::format("{}: values with intervals", family),
              .how =
                  "Each panel is one metric; a method near the dashed floor line behaves like a "
                  "retrained model, one near the dotted ceiling line like the original; hollow "
                  "points are unreliable, and bars are intervals where the metric has one.",
              .alt = "",
              .spec = {}};
    Json values = Json::array();
    for (const Block& block : blocks) {
      for (const StudyRow* row : block.rows) {
        if (std::isfinite(row->row.value)) values.push_back(value_of(*row, block.label()));
      }
      if (plot.alt.size() < 1200) plot.alt += (plot.alt.empty() ? "" : " ") + in_words(block);
    }
    plot.spec = new_spec(plot.title, plot.alt);
    plot.spec.update(panels(values, method_order(blocks), blocks.size() == 1 ? 1 : 2));
    plot.spec["data"] = {{"values", values}};
    made.push_back(std::move(plot));
  }
  return made;
}

std::vector<Plot> graded_plot(const PlotInput& input) {
  Json values = Json::array();
  std::vector<std::string> metrics_shown;
  for (const Block& block : input.main) {
    if (!block.has(Control::graded) || metrics_shown.size() >= kMostPanels) continue;
    if (!follows_removal(block.metric)) continue;
    metrics_shown.push_back(block.label());
    for (const StudyRow* row : block.rows) {
      const metrics::Subject& subject = row->row.subject;
      double removed = metrics::kUndefined;
      if (row->row.control == Control::ceiling) removed = 0;
      if (row->row.control == Control::floor) removed = 100;
      if (row->row.control == Control::graded) {
        char* end = nullptr;
        const double value = std::strtod(subject.method.c_str(), &end);
        if (end != subject.method.c_str()) removed = value;
      }
      if (std::isnan(removed) || !std::isfinite(row->row.value)) continue;
      Json json = value_of(*row, block.label());
      json["removed"] = plot_number(removed);
      json["replicate"] =
          fmt::format("{} {} {}", row->arm, row->split_seed, study::original_of(subject));
      values.push_back(std::move(json));
    }
  }
  if (metrics_shown.empty()) return {};
  Plot plot{.name = "graded",
            .section = "Controls",
            .title = "Graded retrains: does the metric follow what was removed?",
            .how =
                "The share of the forget rows that a retraining left out grows to the right, from "
                "the original to the fully retrained model; a metric that measures forgetting "
                "goes one way only.",
            .alt = fmt::format("Values of {} against the share of forget rows that was removed.",
                               listed(metrics_shown)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  const RoleStyle style = role_style(values);
  Json x = field("removed", "quantitative", "Forget rows removed (%)");
  Json y = field("value", "quantitative", nullptr);
  y["title"] = nullptr;
  y["scale"] = {{"zero", false}};
  plot.spec["data"] = {{"values", values}};
  plot.spec["facet"] = facet_by("metric");
  plot.spec["columns"] = 3;
  plot.spec["spec"] = {
      {"width", 180},
      {"height", 110},
      {"layer",
       {{{"mark", {{"type", "line"}, {"opacity", 0.5}, {"strokeWidth", 1}}},
         {"encoding",
          {{"x", x}, {"y", y}, {"detail", field("replicate", "nominal", "Replicate")}}}},
        {{"mark", {{"type", "point"}, {"filled", true}, {"size", 45}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"shape", style.shape},
           {"color", style.color},
           {"tooltip",
            {field("model", "nominal", "Model"), field("value", "quantitative", "Value")}}}}}}}};
  plot.spec["resolve"] = {{"scale", {{"y", "independent"}}}};
  return {plot};
}

}  // namespace vestige::report
