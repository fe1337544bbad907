// The competition's F against what it is compared with: the accuracy gap on the forget set, and the
// accuracies that are kept (competition paper, Figures 6 and 12).
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"
#include "vestige/study/rows.h"

namespace vestige::report {
namespace {

/// Horizontal axes, in the order of the panels; texts of the template have these names.
constexpr std::array kAcross{"utility.gap.forget", "utility.accuracy.retain",
                             "utility.accuracy.test"};

/// Mean of a metric over the models and repeats of a method, in the order of methods.
struct Means {
  std::vector<std::string> methods;
  std::map<std::string, std::pair<double, double>> sums;  ///< sum and count

  void add(const std::string& method, double value) {
    auto [place, is_new] = sums.try_emplace(method, 0.0, 0.0);
    if (is_new) methods.push_back(method);
    place->second.first += value;
    place->second.second += 1;
  }
  bool has(const std::string& method) const { return sums.count(method) > 0; }
  double of(const std::string& method) const {
    const auto& [sum, count] = sums.at(method);
    return sum / count;
  }
};

/// A metric of one variant in the first audit that has it; settings beside the first one's, such as
/// other N, are left out.
Means means_of(const Results& results, const std::string& variant, std::string_view metric) {
  Means means;
  const study::StudyRow* first = nullptr;
  for (const study::StudyRow& row : results.rows) {
    if (row.variant != variant || row.row.metric != metric || !std::isfinite(row.row.value)) {
      continue;
    }
    // Retrained models and originals stand at another N than methods do.
    if (row.row.control != metrics::Control::none) continue;
    if (first == nullptr) first = &row;
    if (row.audit != first->audit || row.row.settings != first->row.settings) continue;
    means.add(method_of(row.row), row.row.value);
  }
  return means;
}

}  // namespace

std::vector<Plot> quality_plots(const PlotInput& input) {
  const PlotTemplate pattern("quality");
  std::vector<std::string> variants;
  for (const study::StudyRow& row : input.results.rows) {
    if (row.row.metric != "epsilon.f_score") continue;
    if (variants.empty() || variants.back() != row.variant) variants.push_back(row.variant);
  }
  std::vector<Plot> made;
  for (const std::string& variant : variants) {
    const Means quality = means_of(input.results, variant, "epsilon.f_score");
    Json rows = Json::array();
    std::vector<std::string> panels, points;
    for (const char* metric : kAcross) {
      const Means across = means_of(input.results, variant, metric);
      std::size_t shared = 0;
      for (const std::string& method : quality.methods) shared += across.has(method) ? 1U : 0U;
      if (shared < 2) continue;
      panels.push_back(pattern.word(metric));
      for (const std::string& method : quality.methods) {
        if (!across.has(method)) continue;
        rows.push_back({{"panel", panels.back()},
                        {"method", method},
                        {"across", plot_number(across.of(method))},
                        {"quality", plot_number(quality.of(method))}});
        points.push_back(fmt::format("{} {} {}, F {}", method, panels.back(),
                                     short_number(across.of(method)),
                                     short_number(quality.of(method))));
      }
    }
    if (rows.empty()) continue;
    place_by(rows, "panel", panels);
    Json values = {{"values", std::move(rows)},
                   {"variant", variant},
                   {"points", listed(points, points.size())}};
    if (variant.empty()) values["heading"] = pattern.word("no_heading");
    made.push_back(pattern.plot(std::move(values)));
  }
  return made;
}

}  // namespace vestige::report
