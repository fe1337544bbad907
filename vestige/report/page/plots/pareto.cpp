// Seconds of a method against its distance from retrained: who is beaten by nobody in both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/label_heights.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"
#include "vestige/report/summary_plot.h"

namespace vestige::report {
namespace {

constexpr double kPadding = 30;  // pixels at both ends of the axis of seconds

struct Priced {
  std::string method;
  double seconds = metrics::kUndefined;
  double distance = metrics::kUndefined;
  const char* role = "kept";  ///< word of the template: kept, lost, retraining
  bool rival = true;          ///< methods that lost utility are none: to destroy a model is quick
  bool front = false;

  /// At least as good in both, and better in one.
  bool beats(const Priced& other) const {
    return rival && seconds <= other.seconds && distance <= other.distance &&
           (seconds < other.seconds || distance < other.distance);
  }
};

/// The methods of a variant that have a cost and a verdict, and retraining, which lies at 0 by
/// definition, by seconds; controls are no attempts. None where there are fewer than two methods.
std::vector<Priced> priced(const SummaryPlot& summary, const Json& costs) {
  std::vector<Priced> methods;
  double retraining = metrics::kUndefined;
  for (const SummaryLine& line : summary.lines) {
    const SummaryMark* mark = farthest_mark(line);
    if (line.control || mark == nullptr) continue;
    for (const Json& cost : costs) {
      const double seconds = number_of(cost, "seconds");
      if (text_of(cost, "method") != line.method || !(seconds > 0)) continue;
      retraining = std::fmax(retraining, number_of(cost, "retraining_seconds"));
      const bool lost = line.retain.lost || line.test.lost;
      methods.push_back({.method = line.method,
                         .seconds = seconds,
                         .distance = std::abs(mark->value),
                         .role = lost ? "lost" : "kept",
                         .rival = !lost});
      break;
    }
  }
  if (methods.size() < 2) return {};
  if (retraining > 0) {
    methods.push_back({.method = {}, .seconds = retraining, .distance = 0, .role = "retraining"});
  }
  for (Priced& own : methods) {
    own.front = own.rival && std::none_of(methods.begin(), methods.end(),
                                          [&own](const Priced& one) { return one.beats(own); });
  }
  std::stable_sort(methods.begin(), methods.end(), [](const Priced& left, const Priced& right) {
    return left.seconds < right.seconds;
  });
  return methods;
}

/// Heights of names on the axis of distances, which ends at `top`; methods are sorted by seconds.
std::vector<double> name_heights(const std::vector<Priced>& methods, double top, double width,
                                 double height) {
  const double first = std::log(methods.front().seconds);
  const double span = std::log(methods.back().seconds) - first;
  const double per_second = span > 0 ? (width - 2 * kPadding) / span : 0;
  std::vector<Labelled> points;
  for (const Priced& own : methods) {
    points.push_back(
        {(std::log(own.seconds) - first) * per_second, height * own.distance / top, own.method});
  }
  std::vector<double> heights = label_heights(points);
  for (double& one : heights) one *= top / height;
  return heights;
}

}  // namespace

std::vector<Plot> pareto_plot(const PlotInput& input) {
  const PlotTemplate pattern("pareto");
  std::vector<Plot> made;
  for (const SummaryPlot& summary : summary_plots(input.results)) {
    std::vector<Priced> methods = priced(summary, list_of(bench_json_of(input.results), "costs"));
    if (methods.empty()) continue;
    double farthest = 1;  // the original is always in sight
    for (Priced& own : methods) {
      if (own.method.empty()) own.method = pattern.word("retraining");
      farthest = std::max(farthest, own.distance);
    }
    const double top = 1.05 * farthest;
    const std::vector<double> heights =
        name_heights(methods, top, pattern.number("width"), pattern.number("height"));
    Json rows = Json::array();
    std::vector<std::string> front, points;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const Priced& own = methods[i];
      rows.push_back({{"method", own.method},
                      {"seconds", plot_number(own.seconds)},
                      {"distance", plot_number(own.distance)},
                      {"role", pattern.word(own.role)},
                      {"front", own.front},
                      {"label_at", plot_number(heights[i])}});
      points.push_back(
          fmt::format("{} {} s, {:.2f}", own.method, short_number(own.seconds), own.distance));
      if (own.front) front.push_back(own.method);
    }
    const std::string& variant = summary.lines.front().variant;
    Json values = {{"values", std::move(rows)}, {"variant", variant},
                   {"front", listed(front)},    {"points", listed(points, points.size())},
                   {"padding", kPadding},       {"top", plot_number(top)}};
    if (variant.empty()) values["heading"] = pattern.word("no_heading");
    made.push_back(pattern.plot(std::move(values)));
  }
  return made;
}

}  // namespace vestige::report
