// Plots across metrics: utility against forgetting, disagreement, cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

using study::StudyRow;

/// Whether the block has a value of a method.
bool has_method(const Block& block) {
  return std::any_of(block.rows.begin(), block.rows.end(), [](const StudyRow* row) {
    return row->row.control == metrics::Control::none && std::isfinite(row->row.value);
  });
}

/// The first block whose metric is the accuracy that is kept on a split.
const Block* utility_block(const std::vector<Block>& blocks, std::string_view split) {
  for (const Block& block : blocks) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    if (info != nullptr && info->utility_of == split && has_method(block)) return &block;
  }
  return nullptr;
}

/// The metric that its family prefers for overviews, else the first that shows forgetting.
const Block* forgetting_block(const std::vector<Block>& blocks) {
  const Block* preferred = nullptr;
  int place = 0;
  for (const Block& block : blocks) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    if (info == nullptr || info->headline == 0 || !has_method(block)) continue;
    if (preferred != nullptr && place <= info->headline) continue;
    preferred = &block;
    place = info->headline;
  }
  if (preferred != nullptr) return preferred;
  for (const Block& block : blocks) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    const bool forgetting =
        info != nullptr && info->shows_forgetting && !in_utility_family(block.metric);
    if (forgetting && has_method(block)) return &block;
  }
  return nullptr;
}

/// The utility of the same model, or of the method's first where one of the two is pooled.
const StudyRow* partner_of(const StudyRow& row, const Block& utility) {
  const StudyRow* of_method = nullptr;
  for (const StudyRow* other : utility.rows) {
    if (!std::isfinite(other->row.value)) continue;
    if (std::tie(other->arm, other->split_seed) != std::tie(row.arm, row.split_seed)) continue;
    if (other->row.subject == row.row.subject) return other;
    if (method_of(other->row) == method_of(row.row) && of_method == nullptr) of_method = other;
  }
  return of_method;
}

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

std::vector<Plot> agreement_of_metrics(const Json& comparison) {
  Json values = Json::array();
  std::vector<std::string> contradicting;
  const Json& list = comparison.is_object() && comparison.contains("disagreement")
                         ? list_of(comparison, "disagreement")
                         : list_of(comparison, "agreement");
  for (const Json& pair : list) {
    const std::string left = side_of(pair, "left"), right = side_of(pair, "right");
    const double tau = number_of(pair, "tau");
    if (left.empty() || right.empty()) continue;
    values.push_back({{"left", left}, {"right", right}, {"value", plot_number(tau)}});
    values.push_back({{"left", right}, {"right", left}, {"value", plot_number(tau)}});
    if (tau < 0) contradicting.push_back(left + " with " + right);
  }
  if (values.empty()) return {};
  Plot plot{.name = "disagreement",
            .section = "Agreement",
            .title = "Where metrics disagree about the order of the methods",
            .how =
                "1: two metrics rank the methods alike; 0: their rankings have nothing to do with "
                "each other; below 0: what one calls better the other calls worse (Kendall's "
                "tau).",
            .alt = contradicting.empty() ? "No two metrics rank the methods against each other."
                                         : fmt::format("Metrics that contradict each other: {}.",
                                                       listed(contradicting)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  plot.spec.update(heat_map(values, "Kendall's tau"));
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

constexpr double kWidth = 620, kHeight = 340;  // of the trade-off, pixels

/// Gives every point a height for its name, `label_at`, such that names do not cover each other:
/// from the top down, each goes as low as it must.
void place_labels(Json& values) {
  constexpr double kLine = 13, kLetter = 6.5;
  double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
  for (const Json& value : values) {
    left = std::min(left, number_of(value, "kept"));
    right = std::max(right, number_of(value, "kept"));
    low = std::min(low, number_of(value, "forgetting"));
    high = std::max(high, number_of(value, "forgetting"));
  }
  const double per_x = right > left ? kWidth / (right - left) : 0;
  const double per_y = high > low ? kHeight / (high - low) : 0;
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
      const bool beside = other.end < start || end < other.start;
      if (!beside && std::abs(other.y - y) < kLine) y = other.y - kLine;
    }
    placed.push_back({start, end, y});
    values[i]["label_at"] = per_y > 0 ? plot_number(y / per_y) : values[i]["forgetting"];
  }
}

}  // namespace

std::vector<Plot> trade_off_plot(const PlotInput& input) {
  const Block* utility = utility_block(input.main, "test");
  if (utility == nullptr) utility = utility_block(input.main, "retain");
  const Block* forgetting = forgetting_block(input.main);
  if (utility == nullptr || forgetting == nullptr) return {};
  Json values = Json::array();
  std::string words;
  for (const StudyRow* row : forgetting->rows) {
    if (!std::isfinite(row->row.value)) continue;
    const StudyRow* partner = partner_of(*row, *utility);
    if (partner == nullptr) continue;
    values.push_back({{"method", method_of(row->row)},
                      {"model", row->row.subject.id()},
                      {"role", role_of(row->row.control)},
                      {"kept", plot_number(partner->row.value)},
                      {"forgetting", plot_number(row->row.value)}});
    if (values.size() <= 12) {
      words += fmt::format("{}{}: {} and {}", words.empty() ? "" : "; ", method_of(row->row),
                           short_number(partner->row.value), short_number(row->row.value));
    }
  }
  if (values.empty()) return {};
  const metrics::Direction direction = forgetting->rows.front()->row.direction;
  const char* reading = direction == metrics::Direction::match
                            ? "at the height of the retrained model"
                        : direction == metrics::Direction::higher ? "high"
                                                                  : "low";
  Plot plot{
      .name = "trade-off",
      .section = "Overview",
      .title = fmt::format("Utility against forgetting: {} and {}", utility->metric,
                           forgetting->label()),
      .how = fmt::format("Good unlearning lies {} and as far right as the retrained model: it "
                         "forgets without losing accuracy.",
                         reading),
      .alt =
          fmt::format("{} and {} of each method: {}.", utility->metric, forgetting->metric, words),
      .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  Json x = field("kept", "quantitative", nullptr), y = field("forgetting", "quantitative", nullptr);
  x["title"] = utility->metric;
  y["title"] = forgetting->label();
  for (Json* axis : {&x, &y}) (*axis)["scale"] = {{"zero", false}, {"padding", 24}};
  const RoleStyle style = role_style(values);
  place_labels(values);
  Json label = y;
  label["field"] = "label_at";
  plot.spec["data"] = {{"values", values}};
  plot.spec["width"] = kWidth;
  plot.spec["height"] = kHeight;
  plot.spec["layer"] = {
      {{"mark", {{"type", "point"}, {"filled", true}, {"size", 80}}},
       {"encoding",
        {{"x", x},
         {"y", y},
         {"shape", style.shape},
         {"color", style.color},
         {"tooltip",
          {field("model", "nominal", "Model"), field("kept", "quantitative", "Utility"),
           field("forgetting", "quantitative", "Forgetting")}}}}},
      {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}, {"dy", 0}, {"fontSize", 11}}},
       {"encoding", {{"x", x}, {"y", label}, {"text", {{"field", "method"}}}}}}};
  return {plot};
}

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
