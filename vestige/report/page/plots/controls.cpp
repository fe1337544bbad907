// What models with known answers say over the repeats of an experiment: tests between partly
// retrained models, and the values of original and retrained models beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {
namespace {

using metrics::Control;

constexpr std::size_t kMostGradePanels = 6;
constexpr std::size_t kMostBeforePanels = 12;
/// Fewer values of a role in a variant are no distribution.
constexpr std::size_t kFewestValues = 3;
constexpr double kSignificantGrade = 0.05;
constexpr std::size_t kMostBeforeLetters = 1200;  // of the alternative text

/// "partial/25" -> "25".
std::string grade_of(const std::string& name) { return name.substr(name.find('/') + 1); }

/// Values of one metric on originals and retrained models by variant and role.
using BeforeAfter = std::map<std::string, std::map<std::string, std::vector<double>>>;

BeforeAfter before_after(const Block& block) {
  BeforeAfter variants;
  for (const study::StudyRow* row : block.rows) {
    const Control control = row->row.control;
    if (control != Control::original && control != Control::retrained) continue;
    if (std::isfinite(row->row.value)) {
      variants[row->variant][role_of(control)].push_back(row->row.value);
    }
  }
  std::erase_if(variants, [](const auto& variant) {
    return variant.second.size() < 2 ||
           std::any_of(variant.second.begin(), variant.second.end(),
                       [](const auto& role) { return role.second.size() < kFewestValues; });
  });
  return variants;
}

/// "random: original 0.5 to 0.6 and retrained 0.4 to 0.5".
std::string spans_of(const BeforeAfter& values, const PlotTemplate& pattern) {
  std::vector<std::string> variants;
  for (const auto& [variant, roles] : values) {
    std::vector<std::string> spans;
    for (const auto& [role, own] : roles) {
      const auto [least, most] = std::minmax_element(own.begin(), own.end());
      spans.push_back(pattern.word(
          "span",
          {{"role", role}, {"least", short_number(*least)}, {"most", short_number(*most)}}));
    }
    const std::string text = listed(spans);
    variants.push_back(variant.empty()
                           ? text
                           : pattern.word("in_variant", {{"variant", variant}, {"spans", text}}));
  }
  return listed(variants);
}

}  // namespace

std::vector<Plot> grade_tests_plot(const PlotInput& input) {
  const PlotTemplate pattern("grade-tests");
  Json cells = Json::array();
  std::vector<std::string> panels, significant;
  std::set<std::string> drawn;  // metric and variant: of several settings or audits the first
  const Json bench = bench_json_of(input.results);
  for (const Json& row : list_of(bench, "controls")) {
    const std::string metric = text_of(row, "metric"), variant = text_of(row, "variant");
    const bool known = std::find(panels.begin(), panels.end(), metric) != panels.end();
    if (!follows_removal(metric) || drawn.contains(metric + "\n" + variant)) continue;
    if (!known && panels.size() == kMostGradePanels) continue;
    const std::size_t before = cells.size();
    for (const Json& test : list_of(list_of(row, "graded"), "between")) {
      const double p = number_of(test, "p_better");
      if (!std::isfinite(p)) continue;
      const std::string pair = pattern.word("pair", {{"to", grade_of(text_of(test, "to"))},
                                                     {"from", grade_of(text_of(test, "from"))}});
      cells.push_back({{"metric", metric},
                       {"variant", variant},
                       {"pair", pair},
                       {"p", plot_number(p)},
                       {"gain", plot_number(number_of(test, "gain"))},
                       {"n", whole_of(test, "n")}});
      if (p < kSignificantGrade) significant.push_back(pattern.word("test", cells.back()));
    }
    if (cells.size() == before) continue;
    drawn.insert(metric + "\n" + variant);
    if (!known) panels.push_back(metric);
  }
  if (cells.empty()) return {};
  const std::string summary =
      pattern.word(significant.empty() ? "none" : "some", {{"tests", listed(significant)}});
  return {pattern.plot({{"values", std::move(cells)}, {"summary", summary}})};
}

std::vector<Plot> before_after_plots(const PlotInput& input) {
  const PlotTemplate pattern("before-after");
  std::vector<Plot> made;
  for (const auto& [family, blocks] :
       by_family(input.main, kMostBeforePanels, [](const Block& block) {
         const metrics::MetricInfo* info = metrics::find_metric(block.metric);
         const bool shown = (info != nullptr && info->shows_forgetting) ||
                            metrics::find_series("histogram", block.metric) != nullptr;
         return shown && !before_after(block).empty();
       })) {
    Json rows = Json::array();
    std::string summary;
    for (const Block& block : blocks) {
      const BeforeAfter own = before_after(block);
      for (const auto& [variant, roles] : own) {
        for (const auto& [role, numbers] : roles) {
          for (const double number : numbers) {
            rows.push_back({{"metric", block.label()},
                            {"variant", variant},
                            {"role", role},
                            {"value", plot_number(number)}});
          }
        }
      }
      if (summary.size() >= kMostBeforeLetters) continue;
      summary += fmt::format("{}{}: {}.", summary.empty() ? "" : " ", block.label(),
                             spans_of(own, pattern));
    }
    made.push_back(
        pattern.plot({{"values", std::move(rows)}, {"group", family}, {"summary", summary}}));
  }
  return made;
}

}  // namespace vestige::report
