// Seconds of a method against its distance from retrained: who is beaten by nobody in both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/report/json_fields.h"
#include "vestige/report/label_heights.h"
#include "vestige/report/plot_parts.h"
#include "vestige/report/strip.h"

namespace vestige::report {
namespace {

constexpr const char* kKept = "utility kept";
constexpr const char* kLost = "utility lost";
constexpr const char* kRetraining = "retraining";

struct Priced {
  std::string method;
  double seconds = metrics::kUndefined;
  double distance = metrics::kUndefined;
  std::string role;
  bool front = false;
};

/// Marks those that no other beats in both, or in one while the other is the same. Methods that
/// lost utility are no rivals: to destroy a model is quick.
void mark_front(std::vector<Priced>& methods) {
  for (Priced& own : methods) {
    if (own.role == kLost) continue;
    own.front = std::none_of(methods.begin(), methods.end(), [&own](const Priced& other) {
      return other.role != kLost && other.seconds <= own.seconds &&
             other.distance <= own.distance &&
             (other.seconds < own.seconds || other.distance < own.distance);
    });
  }
}

/// The methods of an arm that have a cost and a verdict, and retraining, which lies at 0 by
/// definition; controls are no attempts.
std::vector<Priced> priced(const Strip& strip, const Json& costs) {
  std::vector<Priced> methods;
  double retraining = metrics::kUndefined;
  for (const StripLine& line : strip.lines) {
    const StripMark* mark = farthest_mark(line);
    if (line.control || mark == nullptr) continue;
    for (const Json& cost : costs) {
      const double seconds = number_of(cost, "seconds");
      if (text_of(cost, "method") != line.method || !(seconds > 0)) continue;
      retraining = std::fmax(retraining, number_of(cost, "retraining_seconds"));
      const bool lost = line.retain.lost || line.test.lost;
      methods.push_back({line.method, seconds, std::abs(mark->value), lost ? kLost : kKept, false});
      break;
    }
  }
  if (retraining > 0) methods.push_back({kRetraining, retraining, 0, kRetraining, false});
  mark_front(methods);
  std::stable_sort(methods.begin(), methods.end(), [](const Priced& left, const Priced& right) {
    return left.seconds < right.seconds;
  });
  return methods;
}

constexpr double kParetoWidth = 620, kParetoHeight = 300, kPadding = 30;  // pixels

/// Heights of names on the axis of distances, which ends at `top`; methods are sorted by seconds.
std::vector<double> name_heights(const std::vector<Priced>& methods, double top) {
  const double first = std::log(methods.front().seconds);
  const double span = std::log(methods.back().seconds) - first;
  const double per_second = span > 0 ? (kParetoWidth - 2 * kPadding) / span : 0;
  std::vector<Labelled> points;
  for (const Priced& own : methods) {
    points.push_back({(std::log(own.seconds) - first) * per_second,
                      kParetoHeight * own.distance / top, own.method});
  }
  std::vector<double> heights = label_heights(points);
  for (double& height : heights) height *= top / kParetoHeight;
  return heights;
}

Plot plot_of(const std::string& arm, const std::vector<Priced>& methods) {
  Json values = Json::array();
  std::vector<std::string> front, words;
  double farthest = 1;  // the original is always in sight
  for (const Priced& own : methods) farthest = std::max(farthest, own.distance);
  const std::vector<double> heights = name_heights(methods, 1.05 * farthest);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const Priced& own = methods[i];
    values.push_back({{"method", own.method},
                      {"seconds", plot_number(own.seconds)},
                      {"distance", plot_number(own.distance)},
                      {"role", own.role},
                      {"front", own.front},
                      {"label_at", plot_number(heights[i])}});
    words.push_back(
        fmt::format("{} {} s, {:.2f}", own.method, short_number(own.seconds), own.distance));
    if (own.front) front.push_back(own.method);
  }
  Plot plot{
      .name = arm.empty() ? "pareto" : "pareto-" + file_name(arm),
      .section = "Cost",
      .title = fmt::format("{}seconds against distance from retrained",
                           arm.empty() ? "Cost: " : fmt::format("Arm {}: ", arm)),
      .how = fmt::format(
          "Left is quicker, low is nearer to retrained (the core test that lies farthest; the "
          "original is at 1). The line joins those that no other method beats in both: {}. "
          "Crosses lost utility and do not count: to destroy a model is quick.",
          listed(front)),
      .alt = fmt::format("Seconds and distance: {}. Beaten by nobody in both: {}.",
                         listed(words, words.size()), listed(front)),
      .spec = {},
      .lead = "costs"};
  plot.spec = new_spec(plot.title, plot.alt);
  Json x = field("seconds", "quantitative", "Seconds of one run (logarithmic)");
  x["scale"] = {{"type", "log"}, {"nice", false}, {"padding", kPadding}};
  Json y = field("distance", "quantitative", "Distance from retrained (original = 1)");
  y["scale"] = {{"domain", Json::array({0, plot_number(1.05 * farthest)})}, {"nice", false}};
  Json shape = untitled("role");
  shape["scale"] = {{"domain", {kKept, kLost, kRetraining}},
                    {"range", {"circle", "cross", "diamond"}}};
  Json color = untitled("role");
  color["scale"] = {{"domain", {kKept, kLost, kRetraining}},
                    {"range", {"#0072B2", "#8A8A8A", "#009E73"}}};
  plot.spec["data"] = {{"values", values}};
  Json label = y;
  label["field"] = "label_at";
  plot.spec["width"] = kParetoWidth;
  plot.spec["height"] = kParetoHeight;
  plot.spec["layer"] = {
      {{"transform", only({{"field", "front"}, {"equal", true}})},
       {"mark",
        {{"type", "line"}, {"interpolate", "step-after"}, {"color", "#0072B2"}, {"opacity", 0.5}}},
       {"encoding", {{"x", x}, {"y", y}}}},
      {{"mark", {{"type", "point"}, {"filled", true}, {"size", 80}}},
       {"encoding",
        {{"x", x},
         {"y", y},
         {"shape", shape},
         {"color", color},
         {"tooltip",
          {field("method", "nominal", "Method"), field("seconds", "quantitative", "Seconds"),
           field("distance", "quantitative", "Distance")}}}}},
      {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}, {"dy", 0}, {"fontSize", 11}}},
       {"encoding", {{"x", x}, {"y", label}, {"text", {{"field", "method"}}}}}}};
  return plot;
}

}  // namespace

std::vector<Plot> pareto_plot(const PlotInput& input) {
  std::vector<Plot> made;
  const Json& costs = list_of(input.results.bench, "costs");
  for (const Strip& strip : strips_of(input.results)) {
    const std::vector<Priced> methods = priced(strip, costs);
    const auto attempts = std::count_if(methods.begin(), methods.end(),
                                        [](const Priced& own) { return own.role != kRetraining; });
    if (attempts >= 2) made.push_back(plot_of(strip.lines.front().arm, methods));
  }
  return made;
}

}  // namespace vestige::report
