// Accuracy lost against the largest distance from retrained: what forgetting cost, method by
// method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/label_heights.h"
#include "vestige/report/method_lines.h"
#include "vestige/report/plot_parts.h"
#include "vestige/report/strip.h"

namespace vestige::report {
namespace {

using metrics::Control;

constexpr double kWidth = 620, kHeight = 340;  // of the trade-off, pixels

/// The ends of an axis, with room around the points.
struct Span {
  double low = 0, high = 0;
  Json domain() const { return Json::array({plot_number(low), plot_number(high)}); }
};

Span span_of(const Json& values, const char* key, double least, double most) {
  Span span{least, most};
  for (const Json& value : values) {
    span.low = std::min(span.low, number_of(value, key));
    span.high = std::max(span.high, number_of(value, key));
  }
  const double room = 0.06 * std::max(span.high - span.low, 0.1);
  return {span.low - room, span.high + room};
}

/// Gives every point a height for its name, `label_at`.
void place_labels(Json& values, const Span& x, const Span& y) {
  const double per_x = kWidth / (x.high - x.low), per_y = kHeight / (y.high - y.low);
  std::vector<Labelled> points;
  for (const Json& value : values) {
    points.push_back({number_of(value, "kept") * per_x, number_of(value, "forgetting") * per_y,
                      text_of(value, "method")});
  }
  const std::vector<double> heights = label_heights(points);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i]["label_at"] = plot_number(heights[i] / per_y);
  }
}

/// What the axis across counts: points of accuracy, or log-probability of a token.
struct Across {
  bool likelihood = false;
  double scaled(double value) const { return likelihood ? value : 100 * value; }
  std::string text(double value) const {
    return likelihood ? fmt::format("{:+.2f} nats", value) : fmt::format("{:+.1f} points", value);
  }
};

Across across_of(const Strip& strip) {
  return {std::any_of(strip.lines.begin(), strip.lines.end(),
                      [](const StripLine& line) { return kept_of(line).likelihood; })};
}

void add_point(Json& values, const Across& across, const std::string& method,
               const std::string& role, const Kept& kept, const StripMark& mark,
               const std::string& test) {
  if (!std::isfinite(kept.difference) || !std::isfinite(mark.value)) return;
  values.push_back({{"method", method},
                    {"role", role},
                    {"kept", plot_number(across.scaled(kept.difference))},
                    {"kept_lower", plot_number(across.scaled(kept.lower))},
                    {"kept_upper", plot_number(across.scaled(kept.upper))},
                    {"forgetting", plot_number(mark.value)},
                    {"forgetting_lower", plot_number(mark.lower)},
                    {"forgetting_upper", plot_number(mark.upper)},
                    {"test", test}});
}

/// Utility of the originals on unseen rows against retrained's, by the same lines over models as
/// everywhere (method_lines.h); of several splits their mean, without an interval.
Kept original_kept(const Results& results, const std::string& arm) {
  std::vector<double> differences;
  Kept kept;
  for (const study::StudyRow& line : method_lines(results.rows)) {
    const metrics::Row& row = line.row;
    const metrics::MetricInfo* info = metrics::find_metric(row.metric);
    if (info == nullptr || info->utility_of != "test" || line.arm != arm) continue;
    if (row.control != Control::ceiling || !std::isfinite(row.value - row.reference)) continue;
    differences.push_back(row.value - row.reference);
    kept.lower = row.lower - row.reference;
    kept.upper = row.upper - row.reference;
  }
  kept.difference = metrics::mean(differences);
  if (differences.size() != 1) kept.lower = kept.upper = metrics::kUndefined;
  return kept;
}

/// Points of one arm, the methods' from its verdicts; a ruined control would squeeze the axes and
/// is named instead.
Json points_of(const Results& results, const Strip& strip, const Across& across,
               std::vector<std::string>& left_out) {
  Json values = Json::array();
  const double most = across.likelihood ? 3 : 0.3;
  add_point(values, across, "retrained", role_of(Control::floor), {.difference = 0}, {.value = 0},
            "");
  add_point(values, across, "original", role_of(Control::ceiling),
            original_kept(results, strip.lines.front().arm), {.value = 1}, "");
  for (const StripLine& line : strip.lines) {
    const StripMark* mark = farthest_mark(line);
    const Kept& kept = kept_of(line);
    if (mark == nullptr || std::isnan(kept.difference)) continue;
    if (kept.difference < -most || std::abs(mark->value) > 3) {
      left_out.push_back(fmt::format("{} ({}, {:.1f})", line.method,
                                     across.text(across.scaled(kept.difference)), mark->value));
      continue;
    }
    add_point(values, across, line.method, role_of(Control::none), kept, *mark,
              plain_name(strip.tests[mark->test]));
  }
  return values;
}

/// A line from one end of an interval to the other; none where the point has no interval.
Json whisker(const char* along, const Json& x, const Json& y) {
  const std::string name = along;
  Json encoding = {{"x", x}, {"y", y}};
  const char* axis = name == "kept" ? "x" : "y";
  encoding[axis]["field"] = name + "_lower";
  encoding[std::string(axis) + "2"] = {{"field", name + "_upper"}};
  return {{"transform", only({{"field", name + "_lower"}, {"valid", true}})},
          {"mark", {{"type", "rule"}, {"color", "#8A8A8A"}, {"opacity", 0.6}, {"clip", true}}},
          {"encoding", encoding}};
}

}  // namespace

std::vector<Plot> trade_off_plot(const PlotInput& input) {
  std::vector<Plot> made;
  for (const Strip& strip : strips_of(input.results)) {
    if (strip.lines.empty()) continue;
    std::vector<std::string> left_out;
    const Across unit = across_of(strip);
    Json values = points_of(input.results, strip, unit, left_out);
    if (values.size() < 3) continue;  // the two controls alone
    const std::string& arm = strip.lines.front().arm;
    std::string words;
    for (const Json& value : values) {
      words += fmt::format("{}{} {}, {:.2f}", words.empty() ? "" : "; ", text_of(value, "method"),
                           unit.text(number_of(value, "kept")), number_of(value, "forgetting"));
    }
    Plot plot{
        .name = arm.empty() ? "trade-off" : "trade-off-" + file_name(arm),
        .section = "Overview",
        .title = fmt::format("{}{} kept, and how far from retrained",
                             arm.empty() ? "" : fmt::format("Arm {}: ", arm),
                             unit.likelihood ? "Likelihood" : "Accuracy"),
        .how =
            "Height: the core test that lies farthest from retrained, on the scale on which "
            "retrained is 0 and the original 1; the band is the declared margin. Right: "
            "unseen rows answered better than by retrained. Good unlearning lies in the band, at 0 "
            "or right of it. Grey lines are 95 % intervals of the same tests.",
        .alt = fmt::format("{} against retrained's and distance from retrained: {}.{}",
                           unit.likelihood ? "Likelihood" : "Accuracy", words,
                           left_out.empty() ? "" : " Off the scale: " + listed(left_out) + "."),
        .spec = {},
        .lead = "trade-off"};
    if (!left_out.empty()) plot.how += " Off the scale: " + listed(left_out) + ".";
    plot.spec = new_spec(plot.title, plot.alt);
    Json x = field("kept", "quantitative",
                   unit.likelihood ? "Log-probability of a token minus retrained's, nats"
                                   : "Accuracy minus retrained's, points");
    Json y = field("forgetting", "quantitative", "Distance from retrained (original = 1)");
    const Span across = span_of(values, "kept", 0, 0);
    const Span up = span_of(values, "forgetting", -strip.margin, 1);
    x["scale"] = {{"domain", across.domain()}, {"nice", false}};
    y["scale"] = {{"domain", up.domain()}, {"nice", false}};
    const RoleStyle style = role_style(values);
    place_labels(values, across, up);
    Json label = y;
    label["field"] = "label_at";
    Json band = {{"data", {{"values", {{{"low", -strip.margin}, {"high", strip.margin}}}}}},
                 {"mark", {{"type", "rect"}, {"color", "#009E73"}, {"opacity", 0.15}}},
                 {"encoding", {{"y", y}, {"y2", {{"field", "high"}}}}}};
    band["encoding"]["y"]["field"] = "low";
    plot.spec["data"] = {{"values", values}};
    plot.spec["width"] = kWidth;
    plot.spec["height"] = kHeight;
    plot.spec["layer"] = {
        band,
        whisker("kept", x, y),
        whisker("forgetting", x, y),
        {{"mark", {{"type", "point"}, {"filled", true}, {"size", 80}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"shape", style.shape},
           {"color", style.color},
           {"tooltip",
            {field("method", "nominal", "Method"),
             field("kept", "quantitative", unit.likelihood ? "Nats" : "Accuracy, points"),
             field("forgetting", "quantitative", "Distance"), field("test", "nominal", "Test")}}}}},
        {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}, {"dy", 0}, {"fontSize", 11}}},
         {"encoding", {{"x", x}, {"y", label}, {"text", {{"field", "method"}}}}}}};
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
