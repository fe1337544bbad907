// Plots across metrics: where they disagree, and what methods cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

/// Name of one side of an agreement: text, or an object with metric and setting.
std::string side_of(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) return "";
  const Json& side = json[key];
  if (side.is_string()) return side.get<std::string>();
  const std::string setting = text_of(side, "setting");
  const std::string metric = text_of(side, "metric");
  return setting.empty() ? metric : fmt::format("{} ({})", metric, setting);
}

Json heat_map(const Json& values, const char* value_title) {
  Json x = untitled("left"), y = untitled("right");
  x["axis"] = {{"labelAngle", -40}, {"labelLimit", 220}};
  y["axis"] = {{"labelLimit", 220}};
  Json color = field("value", "quantitative", value_title);
  // Blue agrees, brown contradicts: told apart by people with any colour vision (ColorBrewer BrBG).
  color["scale"] = {{"domain", Json::array({-1, 0, 1})},
                    {"range", {"#A6611A", "#F2F0EA", "#0072B2"}},
                    {"type", "linear"},
                    {"interpolate", "rgb"}};
  const Json text_color = {{"condition", {{"test", "abs(datum.value) > 0.65"}, {"value", "white"}}},
                           {"value", "#222222"}};
  Json number = field("value", "quantitative", nullptr);
  number["format"] = ".2f";
  const Json numbers = {{"condition", {{"test", "!isValid(datum.value)"}, {"value", "–"}}}};
  number.update(numbers);
  return {{"layer",
           {{{"mark", {{"type", "rect"}, {"tooltip", true}}},
             {"encoding", {{"x", x}, {"y", y}, {"color", color}}}},
            {{"mark", {{"type", "text"}, {"fontSize", 10}}},
             {"encoding", {{"x", x}, {"y", y}, {"text", number}, {"color", text_color}}}}}},
          {"width", {{"step", 34}}},
          {"height", {{"step", 20}}},
          {"data", {{"values", values}}}};
}

constexpr std::size_t kMostContradictions = 10;

/// The pairs of metrics that contradict each other most; of dozens of metrics nobody reads a
/// matrix.
std::vector<Plot> agreement_of_metrics(const Json& comparison) {
  struct Pair {
    std::string left, right;
    double tau;
  };
  std::vector<Pair> pairs;
  const Json& list = comparison.is_object() && comparison.contains("disagreement")
                         ? list_of(comparison, "disagreement")
                         : list_of(comparison, "agreement");
  for (const Json& pair : list) {
    const std::string left = side_of(pair, "left"), right = side_of(pair, "right");
    const double tau = number_of(pair, "tau");
    if (!left.empty() && !right.empty() && std::isfinite(tau)) pairs.push_back({left, right, tau});
  }
  if (pairs.empty()) return {};
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& left, const Pair& right) { return left.tau < right.tau; });
  const std::size_t all = pairs.size();
  pairs.resize(std::min(all, kMostContradictions));
  Json values = Json::array();
  std::vector<std::string> order, contradicting;
  for (const Pair& pair : pairs) {
    order.push_back(pair.left + " with " + pair.right);
    values.push_back({{"pair", order.back()}, {"tau", plot_number(pair.tau)}});
    if (pair.tau < 0) contradicting.push_back(order.back());
  }
  Plot plot{.name = "disagreement",
            .section = "Agreement",
            .title = "Where metrics disagree most about the order of the methods",
            .how = fmt::format(
                "The {} of {} pairs of metrics with the lowest agreement (Kendall's tau). 1: "
                "two metrics rank the methods alike; 0: their rankings have nothing to do "
                "with each other; below 0: what one calls better the other calls worse.",
                pairs.size(), all),
            .alt = contradicting.empty() ? "No two metrics rank the methods against each other."
                                         : fmt::format("Metrics that contradict each other: {}.",
                                                       listed(contradicting)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  Json y = untitled("pair");
  y["sort"] = place_by(values, "pair", order);
  y["axis"] = {{"labelLimit", 420}};
  Json x = field("tau", "quantitative", "Kendall's tau");
  x["scale"] = {{"domain", Json::array({-1, 1})}};
  plot.spec["data"] = {{"values", values}};
  plot.spec["width"] = 300;
  plot.spec["height"] = {{"step", 20}};
  plot.spec["mark"] = {{"type", "bar"}, {"tooltip", true}};
  plot.spec["encoding"] = {{"x", x}, {"y", y}};
  return {plot};
}

std::vector<Plot> agreement_of_methods(const Json& correlations) {
  std::vector<Plot> made;
  if (!correlations.is_object()) return made;
  for (const auto& [score, table] : correlations.items()) {
    const Json& methods = list_of(table, "methods");
    const Json& spearman = list_of(table, "spearman");
    Json values = Json::array();
    for (std::size_t i = 0; i < methods.size() && i < spearman.size(); ++i) {
      if (!spearman[i].is_array()) continue;
      for (std::size_t j = 0; j < methods.size() && j < spearman[i].size(); ++j) {
        const Json& rho = spearman[i][j];
        values.push_back({{"left", methods[j]},
                          {"right", methods[i]},
                          {"value", rho.is_number() ? plot_number(rho.get<double>()) : nullptr}});
      }
    }
    if (values.empty()) continue;
    Plot plot{.name = "agreement-" + file_name(score),
              .section = "Agreement",
              .title = fmt::format("{}: do methods leave the same rows behind?", score),
              .how =
                  "Spearman's correlation of the per-row scores of two methods: 1 means that the "
                  "same forget rows stay remembered, 0 that they have nothing in common, below 0 "
                  "that one method forgets what the other keeps.",
              .alt = fmt::format("Correlations of {} between {} methods.", score, methods.size()),
              .spec = {}};
    plot.spec = new_spec(plot.title, plot.alt);
    plot.spec.update(heat_map(values, "Spearman's rho"));
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace

std::vector<Plot> disagreement_plots(const PlotInput& input) {
  std::vector<Plot> made = agreement_of_metrics(list_of(input.results.bench, "comparison"));
  for (Plot& plot : agreement_of_methods(input.results.correlations)) {
    made.push_back(std::move(plot));
  }
  return made;
}

std::vector<Plot> cost_plot(const PlotInput& input) {
  Json values = Json::array();
  std::string words;
  std::vector<std::string> order;
  for (const Json& cost : list_of(input.results.bench, "costs")) {
    const double seconds = number_of(cost, "seconds");
    if (!std::isfinite(seconds)) continue;
    const std::string method = text_of(cost, "method");
    order.push_back(method);
    values.push_back({{"method", method},
                      {"seconds", plot_number(seconds)},
                      {"retraining", plot_number(number_of(cost, "retraining_seconds"))},
                      {"ratio", plot_number(number_of(cost, "ratio"))}});
    words += fmt::format("{}{} {} s", words.empty() ? "" : ", ", method, short_number(seconds));
  }
  if (values.empty()) return {};
  Plot plot{.name = "costs",
            .section = "Cost",
            .title = "Seconds of unlearning, beside retraining",
            .how =
                "Bars are one run of the method, ticks are one retraining; a method whose bar "
                "reaches its tick saves nothing.",
            .alt = fmt::format("Mean seconds per run: {}.", words),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  Json y = field("method", "nominal", nullptr);
  y["title"] = nullptr;
  y["sort"] = place_by(values, "method", order);
  plot.spec["data"] = {{"values", values}};
  plot.spec["width"] = 520;
  plot.spec["height"] = {{"step", 20}};
  plot.spec["layer"] = {
      {{"mark", {{"type", "bar"}, {"tooltip", true}}},
       {"encoding", {{"x", field("seconds", "quantitative", "Seconds")}, {"y", y}}}},
      {{"mark", {{"type", "tick"}, {"thickness", 2}, {"color", "#D55E00"}, {"tooltip", true}}},
       {"encoding", {{"x", field("retraining", "quantitative", "Seconds")}, {"y", y}}}}};
  return {plot};
}

}  // namespace vestige::report
