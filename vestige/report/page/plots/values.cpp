// Values of methods with their intervals, beside the controls; partly retrained models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {
namespace {

using metrics::Control;
using study::StudyRow;

constexpr std::size_t kMostPanels = 24;        // of one plot; the rest is in the table
constexpr std::size_t kMostAltLetters = 1200;  // no metric is begun beyond
constexpr std::size_t kMostAltMethods = 12;

Json value_of(const StudyRow& row, const std::string& panel) {
  Json json = {{"metric", panel},
               {"method", method_of(row.row)},
               {"model", row.row.subject.id()},
               {"role", role_of(row.row.control)},
               {"value", plot_number(row.row.value)},
               {"lower", plot_number(row.row.lower)},
               {"upper", plot_number(row.row.upper)},
               {"status", metrics::name(row.row.status)}};
  if (!row.variant.empty()) json["variant"] = row.variant;
  return json;
}

/// "finetune 0.08 (0.05 to 0.1)", per method; the first model of each.
std::string in_words(const Block& block, const PlotTemplate& pattern) {
  std::string text;
  std::set<std::string> seen;
  for (const StudyRow* row : block.rows) {
    const std::string method = method_of(row->row);
    if (!seen.insert(method).second || seen.size() > kMostAltMethods) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", method, short_number(row->row.value));
    if (!std::isfinite(row->row.lower) || !std::isfinite(row->row.upper)) continue;
    text += pattern.word("interval", {{"lower", short_number(row->row.lower)},
                                      {"upper", short_number(row->row.upper)}});
  }
  return fmt::format("{}: {}.", block.label(), text);
}

/// The share of the forget set that a model was trained without, in percent; NaN of methods.
double removed_by(const metrics::Row& row) {
  if (row.control == Control::original) return 0;
  if (row.control == Control::retrained) return 100;
  char* end = nullptr;
  const double share = std::strtod(row.subject.method.c_str(), &end);
  const bool known = row.control == Control::graded && end != row.subject.method.c_str();
  return known ? share : metrics::kUndefined;
}

}  // namespace

std::vector<Plot> value_plots(const PlotInput& input) {
  const PlotTemplate pattern("values");
  std::vector<Plot> made;
  for (const auto& [family, blocks] : by_family(input.main, kMostPanels, [](const Block& block) {
         return std::any_of(block.rows.begin(), block.rows.end(), [](const StudyRow* row) {
           return row->row.control == Control::none && std::isfinite(row->row.value);
         });
       })) {
    Json rows = Json::array();
    std::string summary;
    for (const Block& block : blocks) {
      for (const StudyRow* row : block.rows) {
        if (std::isfinite(row->row.value)) rows.push_back(value_of(*row, block.label()));
      }
      if (summary.size() < kMostAltLetters) {
        summary += (summary.empty() ? "" : " ") + in_words(block, pattern);
      }
    }
    place_by(rows, "method", method_order(blocks));
    made.push_back(pattern.plot({{"values", std::move(rows)},
                                 {"group", family},
                                 {"summary", summary},
                                 {"columns", blocks.size() == 1 ? 1 : 2},
                                 {"width", blocks.size() == 1 ? 520 : 270}}));
  }
  return made;
}

std::vector<Plot> graded_plot(const PlotInput& input) {
  Json rows = Json::array();
  std::vector<std::string> shown;
  for (const Block& block : input.main) {
    if (!block.has(Control::graded) || shown.size() >= kMostPanels) continue;
    if (!follows_removal(block.metric)) continue;
    shown.push_back(block.label());
    for (const StudyRow* row : block.rows) {
      const double removed = removed_by(row->row);
      if (std::isnan(removed) || !std::isfinite(row->row.value)) continue;
      rows.push_back(value_of(*row, block.label()));
      rows.back()["removed"] = plot_number(removed);
      rows.back()["replicate"] = fmt::format("{} {} {}", row->variant, row->split_seed,
                                             study::original_of(row->row.subject));
    }
  }
  if (rows.empty()) return {};
  return {PlotTemplate("graded").plot({{"values", std::move(rows)}, {"metrics", listed(shown)}})};
}

}  // namespace vestige::report
