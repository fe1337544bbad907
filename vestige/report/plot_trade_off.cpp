// Accuracy lost against the largest distance from retrained: what forgetting cost, method by
// method.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"
#include "vestige/report/strip.h"

namespace vestige::report {
namespace {

using metrics::Control;
using study::StudyRow;

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

/// Gives every point a height for its name, `label_at`, such that names do not cover each other:
/// from the top down, each goes as low as it must.
void place_labels(Json& values, const Span& x, const Span& y_span) {
  constexpr double kLine = 13, kLetter = 6.5;
  const double per_x = kWidth / (x.high - x.low), per_y = kHeight / (y_span.high - y_span.low);
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&values](std::size_t a, std::size_t b) {
    return number_of(values[a], "forgetting") > number_of(values[b], "forgetting");
  });
  struct Placed {
    double start, end, y;
  };
  std::vector<Placed> placed;
  for (const std::size_t i : order) {
    const double start = number_of(values[i], "kept") * per_x;
    const double end = start + kLetter * static_cast<double>(text_of(values[i], "method").size());
    double y = number_of(values[i], "forgetting") * per_y;
    // Names that were placed before lie higher or as high, so that one pass from the top suffices.
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.y > b.y; });
    for (const Placed& other : placed) {
      const bool beside = other.end + kLetter < start || end + kLetter < other.start;
      if (!beside && std::abs(other.y - y) < kLine) y = other.y - kLine;
    }
    placed.push_back({start, end, y});
    values[i]["label_at"] = plot_number(y / per_y);
  }
}

/// Mean accuracy on the test rows, of a control in an arm; NaN without one.
double accuracy_of(const PlotInput& input, Control control, const std::string& arm) {
  double sum = 0, count = 0;
  for (const Block& block : input.main) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    if (info == nullptr || info->utility_of != "test") continue;
    for (const StudyRow* row : block.rows) {
      if (row->row.control != control || row->arm != arm || !std::isfinite(row->row.value))
        continue;
      sum += row->row.value;
      ++count;
    }
    break;
  }
  return count > 0 ? sum / count : metrics::kUndefined;
}

/// The core test that lies farthest from retrained.
const StripMark* farthest(const StripLine& line) {
  const StripMark* found = nullptr;
  for (const StripMark& mark : line.marks) {
    if (found == nullptr || std::abs(mark.value) > std::abs(found->value)) found = &mark;
  }
  return found;
}

void add_point(Json& values, const std::string& arm, const std::string& method,
               const std::string& role, double kept, double distance, const std::string& test) {
  if (!std::isfinite(kept) || !std::isfinite(distance)) return;
  values.push_back({{"arm", arm},
                    {"method", method},
                    {"role", role},
                    {"kept", plot_number(100 * kept)},
                    {"forgetting", plot_number(distance)},
                    {"test", test}});
}

/// Points of one arm; a ruined control would squeeze the axes and is named instead.
Json points_of(const PlotInput& input, const Strip& strip, std::vector<std::string>& left_out) {
  Json values = Json::array();
  const std::string& arm = strip.lines.front().arm;
  const double retrained = accuracy_of(input, Control::floor, arm);
  const double original = accuracy_of(input, Control::ceiling, arm);
  add_point(values, arm, "retrained", role_of(Control::floor), 0, 0, "");
  add_point(values, arm, "original", role_of(Control::ceiling), original - retrained, 1, "");
  for (const StripLine& line : strip.lines) {
    const StripMark* mark = farthest(line);
    const Kept& kept = std::isnan(line.test.difference) ? line.retain : line.test;
    if (mark == nullptr || std::isnan(kept.difference)) continue;
    if (kept.difference < -0.3 || std::abs(mark->value) > 3) {
      left_out.push_back(fmt::format("{} ({:+.1f} points, {:.1f})", line.method,
                                     100 * kept.difference, mark->value));
      continue;
    }
    add_point(values, arm, line.method, role_of(Control::none), kept.difference, mark->value,
              plain_name(strip.tests[mark->test]));
  }
  return values;
}

}  // namespace

std::vector<Plot> trade_off_plot(const PlotInput& input) {
  std::vector<Plot> made;
  for (const Strip& strip : strips_of(input.results)) {
    if (strip.lines.empty()) continue;
    std::vector<std::string> left_out;
    Json values = points_of(input, strip, left_out);
    if (values.size() < 3) continue;  // the two controls alone
    const std::string& arm = strip.lines.front().arm;
    std::string words;
    for (const Json& value : values) {
      words += fmt::format("{}{} {:+.1f} points, {:.2f}", words.empty() ? "" : "; ",
                           text_of(value, "method"), number_of(value, "kept"),
                           number_of(value, "forgetting"));
    }
    Plot plot{
        .name = arm.empty() ? "trade-off" : "trade-off-" + file_name(arm),
        .section = "Overview",
        .title = arm.empty()
                     ? "Accuracy kept, and how far from retrained"
                     : fmt::format("Arm {}: accuracy kept, and how far from retrained", arm),
        .how =
            "Height: the core test that lies farthest from retrained, on the scale on which "
            "retrained is 0 and the original 1; the band is the declared margin. Right: more "
            "accuracy on unseen rows than retrained. Good unlearning lies in the band, at 0 or "
            "right of it.",
        .alt = fmt::format("Accuracy against retrained's and distance from retrained: {}.{}", words,
                           left_out.empty() ? "" : " Off the scale: " + listed(left_out) + "."),
        .spec = {},
        .lead = "trade-off"};
    if (!left_out.empty()) plot.how += " Off the scale: " + listed(left_out) + ".";
    plot.spec = new_spec(plot.title, plot.alt);
    Json x = field("kept", "quantitative", "Accuracy minus retrained's, points");
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
        {{"mark", {{"type", "point"}, {"filled", true}, {"size", 80}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"shape", style.shape},
           {"color", style.color},
           {"tooltip",
            {field("method", "nominal", "Method"),
             field("kept", "quantitative", "Accuracy, points"),
             field("forgetting", "quantitative", "Distance"), field("test", "nominal", "Test")}}}}},
        {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}, {"dy", 0}, {"fontSize", 11}}},
         {"encoding", {{"x", x}, {"y", label}, {"text", {{"field", "method"}}}}}}};
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
