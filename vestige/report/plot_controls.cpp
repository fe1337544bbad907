// What models with known answers say over the repeats of an experiment: tests between graded
// retrains, and the values of original and retrained models beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

using metrics::Control;
using study::StudyRow;

constexpr std::size_t kMostGradePanels = 6;
constexpr std::size_t kMostBeforePanels = 12;
/// Fewer values of a role in an arm are no distribution.
constexpr std::size_t kFewestValues = 3;
constexpr double kSignificantGrade = 0.05;

/// "partial/25" -> "25".
std::string grade_of(const std::string& name) { return name.substr(name.find('/') + 1); }

/// The tests of one metric in one arm as cells of the map.
std::size_t add_tests(const Json& row, const std::string& panel, Json& values,
                      std::vector<std::string>& significant) {
  std::size_t added = 0;
  for (const Json& test : list_of(list_of(row, "graded"), "between")) {
    const double p = number_of(test, "p_better");
    if (!std::isfinite(p)) continue;
    const std::string pair =
        fmt::format("{} > {} %", grade_of(text_of(test, "to")), grade_of(text_of(test, "from")));
    values.push_back({{"metric", panel},
                      {"arm", text_of(row, "arm")},
                      {"pair", pair},
                      {"p", plot_number(p)},
                      {"gain", plot_number(number_of(test, "gain"))},
                      {"n", whole_of(test, "n")}});
    if (p < kSignificantGrade) {
      significant.push_back(fmt::format("{} in {}: {}", panel, text_of(row, "arm"), pair));
    }
    ++added;
  }
  return added;
}

Json test_map(const Json& values) {
  Json x = untitled("pair"), y = untitled("arm");
  x["axis"] = {{"labelAngle", 0}};
  y["axis"] = {{"labelLimit", 220}};
  Json color = field("p", "quantitative", "p");
  color["scale"] = {{"domain", Json::array({0, 0.05, 1})},
                    {"range", {"#0072B2", "#BBD4E6", "#F2F0EA"}},
                    {"type", "linear"},
                    {"interpolate", "rgb"}};
  Json number = field("p", "quantitative", nullptr);
  number["format"] = ".3f";  // 0.0498 must not read as 0.05
  const Json dark = {{"condition", {{"test", "datum.p < 0.025"}, {"value", "white"}}},
                     {"value", "#222222"}};
  const Json tooltip = {field("arm", "nominal", "Arm"), field("pair", "nominal", "Removed"),
                        field("p", "quantitative", "One-sided p"),
                        field("gain", "quantitative", "Mean gain"),
                        field("n", "quantitative", "Pairs")};
  Json spec;
  spec["data"] = {{"values", values}};
  spec["facet"] = facet_by("metric");
  spec["columns"] = 2;
  spec["spec"] = {{"width", {{"step", 76}}},
                  {"height", {{"step", 22}}},
                  {"layer",
                   {{{"mark", {{"type", "rect"}}},
                     {"encoding", {{"x", x}, {"y", y}, {"color", color}, {"tooltip", tooltip}}}},
                    {{"mark", {{"type", "text"}, {"fontSize", 10}}},
                     {"encoding", {{"x", x}, {"y", y}, {"text", number}, {"color", dark}}}}}}};
  return spec;
}

/// Values of one metric on originals and retrained models, arm by arm.
struct BeforeAfter {
  std::map<std::string, std::map<std::string, std::vector<double>>> by_arm;  ///< arm, role

  explicit BeforeAfter(const Block& block) {
    for (const StudyRow* row : block.rows) {
      const Control control = row->row.control;
      if (control != Control::ceiling && control != Control::floor) continue;
      if (std::isfinite(row->row.value)) {
        by_arm[row->arm][role_of(control)].push_back(row->row.value);
      }
    }
    std::erase_if(by_arm, [](const auto& arm) {
      return arm.second.size() < 2 ||
             std::any_of(arm.second.begin(), arm.second.end(),
                         [](const auto& role) { return role.second.size() < kFewestValues; });
    });
  }
};

/// "random: original (ceiling) 0.5 to 0.6, retrained (floor) 0.4 to 0.5".
std::string spans_of(const BeforeAfter& values) {
  std::vector<std::string> arms;
  for (const auto& [arm, roles] : values.by_arm) {
    std::vector<std::string> parts;
    for (const auto& [role, own] : roles) {
      const auto [least, most] = std::minmax_element(own.begin(), own.end());
      parts.push_back(fmt::format("{} {} to {}", role, short_number(*least), short_number(*most)));
    }
    arms.push_back(fmt::format("{}: {}", arm, listed(parts)));
  }
  return listed(arms);
}

Json before_after_spec(Json& values) {
  const RoleStyle style = role_style(values);
  Json x = field("value", "quantitative", nullptr);
  x["title"] = nullptr;
  x["scale"] = {{"zero", false}};
  Json y = untitled("arm");
  y["axis"] = {{"labelLimit", 220}};
  Json offset = field("role", "nominal", nullptr);
  const Json tooltip = {field("arm", "nominal", "Arm"), field("role", "nominal", "Model"),
                        field("value", "quantitative", "Value")};
  Json middle = x;
  middle["aggregate"] = "median";
  Json spec;
  spec["data"] = {{"values", values}};
  spec["facet"] = facet_by("metric");
  spec["columns"] = 2;
  spec["resolve"] = {{"scale", {{"x", "independent"}}}};
  spec["spec"] = {
      {"width", 270},
      {"height", {{"step", 14}}},
      {"layer",
       {{{"mark", {{"type", "point"}, {"size", 30}, {"opacity", 0.7}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"yOffset", offset},
           {"shape", style.shape},
           {"color", style.color},
           {"tooltip", tooltip}}}},
        {{"mark", {{"type", "tick"}, {"thickness", 2}, {"size", 12}}},
         {"encoding", {{"x", middle}, {"y", y}, {"yOffset", offset}, {"color", style.color}}}}}}};
  return spec;
}

}  // namespace

std::vector<Plot> grade_tests_plot(const PlotInput& input) {
  Json values = Json::array();
  std::vector<std::string> panels, significant;
  std::set<std::string> drawn;  // metric and arm: of several settings or audits the first
  for (const Json& row : list_of(input.results.bench, "controls")) {
    const std::string metric = text_of(row, "metric");
    if (!follows_removal(metric)) continue;
    const bool known = std::find(panels.begin(), panels.end(), metric) != panels.end();
    if (!known && panels.size() == kMostGradePanels) continue;
    if (drawn.contains(metric + "\n" + text_of(row, "arm"))) continue;
    if (add_tests(row, metric, values, significant) == 0) continue;
    drawn.insert(metric + "\n" + text_of(row, "arm"));
    if (!known) panels.push_back(metric);
  }
  if (values.empty()) return {};
  Plot plot{.name = "grade-tests",
            .section = "Controls",
            .title = "Graded retrains: is more removal shown to score better?",
            .how =
                "Each cell is the one-sided p of a paired t test over the repeats of an arm: that "
                "the retrain with more of the forget rows removed scores better than the one with "
                "less. Dark is below 0.05; nothing is adjusted for the number of cells.",
            .alt = significant.empty()
                       ? std::string("No pair of graded retrains differs with p below 0.05.")
                       : fmt::format("p below 0.05: {}.", listed(significant)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  plot.spec.update(test_map(values));
  return {plot};
}

std::vector<Plot> before_after_plots(const PlotInput& input) {
  std::vector<std::string> families;
  std::map<std::string, std::vector<Block>> by_family;
  for (const Block& block : input.main) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    const bool shown = (info != nullptr && info->shows_forgetting) ||
                       metrics::find_series("histogram", block.metric) != nullptr;
    if (!shown || BeforeAfter(block).by_arm.empty()) continue;
    const std::string family = family_of(block.metric);
    if (!by_family.contains(family)) families.push_back(family);
    by_family[family].push_back(block);
  }
  std::vector<Plot> made;
  for (const std::string& family : families) {
    std::vector<Block>& blocks = by_family[family];
    if (blocks.size() > kMostBeforePanels) blocks.resize(kMostBeforePanels);
    Plot plot{.name = "before-after-" + file_name(family),
              .section = "Controls",
              .title = fmt::format("{}: original and retrained models, every repeat", family),
              .how =
                  "Each point is one model of one repeat, the bar their median: where the values "
                  "of original and retrained models overlap in an arm, the metric cannot tell "
                  "before from after there.",
              .alt = "",
              .spec = {}};
    Json values = Json::array();
    for (const Block& block : blocks) {
      const BeforeAfter own(block);
      for (const auto& [arm, roles] : own.by_arm) {
        for (const auto& [role, numbers] : roles) {
          for (const double number : numbers) {
            values.push_back({{"metric", block.label()},
                              {"arm", arm},
                              {"role", role},
                              {"value", plot_number(number)}});
          }
        }
      }
      if (plot.alt.size() < 1200) {
        plot.alt +=
            fmt::format("{}{}: {}.", plot.alt.empty() ? "" : " ", block.label(), spans_of(own));
      }
    }
    plot.spec = new_spec(plot.title, plot.alt);
    plot.spec.update(before_after_spec(values));
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
