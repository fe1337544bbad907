// Where the noise of one measurement comes from: one bar per metric, divided by source.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMostVarianceBars = 16;

}  // namespace

std::vector<Plot> variance_plot(const PlotInput& input) {
  Json values = Json::array();
  std::vector<std::string> bars, words;
  for (const Json& row : list_of(input.results.bench, "variance")) {
    // "*" is all methods of a metric together.
    if (text_of(row, "method") != "*" || bars.size() == kMostVarianceBars) continue;
    const std::string metric = text_of(row, "metric"), arm = text_of(row, "arm");
    const std::string bar = arm.empty() ? metric : fmt::format("{} ({})", metric, arm);
    // Of several settings of a metric the first is drawn.
    if (std::find(bars.begin(), bars.end(), bar) != bars.end()) continue;
    bool any = false;
    for (const Json& level : list_of(row, "levels")) {
      const double share = number_of(level, "share");
      if (!std::isfinite(share) || !flag_of(level, "estimable")) continue;
      any = true;
      values.push_back(
          {{"bar", bar}, {"source", text_of(level, "level")}, {"share", plot_number(share)}});
    }
    if (!any) continue;
    bars.push_back(bar);
    words.push_back(fmt::format("{} mostly from {}", bar, text_of(row, "noisiest")));
  }
  if (values.empty()) return {};
  Plot plot{
      .name = "variance",
      .section = "Noise",
      .title = "Where the noise of one measurement comes from",
      .how =
          "Each bar is the variance of one measured value, divided by what was drawn anew: the "
          "split, the training, the unlearning, the attack. The longest part is what more "
          "repetitions should go to.",
      .alt = fmt::format("Shares of variance: {}.", listed(words)),
      .spec = {},
      .lead = "variance"};
  plot.spec = new_spec(plot.title, plot.alt);
  Json y = untitled("bar");
  y["sort"] = place_by(values, "bar", bars);
  Json x = field("share", "quantitative", "Share of the variance");
  x["axis"] = {{"format", "%"}};
  x["stack"] = "normalize";
  plot.spec["data"] = {{"values", values}};
  plot.spec["width"] = 420;
  plot.spec["height"] = {{"step", 20}};
  plot.spec["mark"] = {{"type", "bar"}};
  plot.spec["encoding"] = {
      {"x", x},
      {"y", y},
      {"color", untitled("source")},
      {"tooltip",
       {field("bar", "nominal", "Metric"), field("source", "nominal", "Source"),
        field("share", "quantitative", "Share")}}};
  return {plot};
}

}  // namespace vestige::report
