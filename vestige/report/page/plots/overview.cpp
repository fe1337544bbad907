// Plots across metrics: where they disagree, and what methods cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

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

/// The pairs of metrics that contradict each other most; of dozens of metrics nobody reads a
/// matrix.
std::vector<Plot> agreement_of_metrics(const Json& comparison) {
  constexpr std::size_t kMostContradictions = 10;
  const PlotTemplate pattern("disagreement");
  std::vector<std::pair<double, std::string>> pairs;  // tau and both names
  const bool sorted = comparison.is_object() && comparison.contains("disagreement");
  for (const Json& pair : list_of(comparison, sorted ? "disagreement" : "agreement")) {
    const std::string left = side_of(pair, "left"), right = side_of(pair, "right");
    const double tau = number_of(pair, "tau");
    if (left.empty() || right.empty() || !std::isfinite(tau)) continue;
    pairs.emplace_back(tau, pattern.word("pair", {{"left", left}, {"right", right}}));
  }
  if (pairs.empty()) return {};
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  const std::size_t all = pairs.size();
  pairs.resize(std::min(all, kMostContradictions));
  Json rows = Json::array();
  std::vector<std::string> order, opposite;
  for (const auto& [tau, name] : pairs) {
    rows.push_back({{"pair", name}, {"tau", plot_number(tau)}});
    order.push_back(name);
    if (tau < 0) opposite.push_back(name);
  }
  place_by(rows, "pair", order);
  const std::string summary =
      pattern.word(opposite.empty() ? "none" : "some", {{"pairs", listed(opposite)}});
  return {pattern.plot(
      {{"values", std::move(rows)}, {"shown", pairs.size()}, {"all", all}, {"summary", summary}})};
}

}  // namespace

std::vector<Plot> disagreement_plots(const PlotInput& input) {
  std::vector<Plot> made =
      agreement_of_metrics(list_of(bench_json_of(input.results), "comparison"));
  if (!input.results.correlations.is_object()) return made;
  for (const auto& [score, table] : input.results.correlations.items()) {
    const Json& methods = list_of(table, "methods");
    const Json& spearman = list_of(table, "spearman");
    Json rows = Json::array();
    for (std::size_t i = 0; i < methods.size() && i < spearman.size(); ++i) {
      if (!spearman[i].is_array()) continue;
      for (std::size_t j = 0; j < methods.size() && j < spearman[i].size(); ++j) {
        const Json& rho = spearman[i][j];
        rows.push_back({{"left", methods[j]},
                        {"right", methods[i]},
                        {"value", rho.is_number() ? plot_number(rho.get<double>()) : nullptr}});
      }
    }
    if (rows.empty()) continue;
    made.push_back(
        PlotTemplate("agreement")
            .plot({{"values", std::move(rows)}, {"score", score}, {"count", methods.size()}}));
  }
  return made;
}

std::vector<Plot> cost_plot(const PlotInput& input) {
  Json rows = Json::array();
  std::vector<std::string> order, points;
  const Json bench = bench_json_of(input.results);
  for (const Json& cost : list_of(bench, "costs")) {
    const double seconds = number_of(cost, "seconds");
    if (!std::isfinite(seconds)) continue;
    order.push_back(text_of(cost, "method"));
    rows.push_back({{"method", order.back()},
                    {"seconds", plot_number(seconds)},
                    {"retraining", plot_number(number_of(cost, "retraining_seconds"))},
                    {"ratio", plot_number(number_of(cost, "ratio"))}});
    points.push_back(fmt::format("{} {} s", order.back(), short_number(seconds)));
  }
  if (rows.empty()) return {};
  place_by(rows, "method", order);
  return {PlotTemplate("costs").plot(
      {{"values", std::move(rows)}, {"points", listed(points, points.size())}})};
}

}  // namespace vestige::report
