// The plots of a report as Vega-Lite specifications with their data inside: the page draws them,
// and as files they open in Altair and in every Vega-Lite editor.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/report/blocks.h"
#include "vestige/report/results.h"

namespace vestige::report {

struct Plot {
  std::string name;     ///< of the file, without .vl.json: "trade-off"
  std::string section;  ///< heading under which it stands: "Attacks"
  std::string title;
  std::string how;  ///< one sentence on how to read it
  std::string alt;  ///< what it shows in words
  Json spec;        ///< Vega-Lite 6; data under data.values
  /// Section of the page where it stands open: "trade-off", "roc", "comparison", "variance",
  /// "costs"; empty: folded by `section`.
  std::string lead{};
};

/// What the plots are made from. The rows must outlive it.
struct PlotInput {
  const Results& results;
  std::vector<Block> blocks;  ///< every metric in every setting
  std::vector<Block> main;    ///< one setting each
};

/// Every plot that the results have the numbers for, in the order of the page.
std::vector<Plot> plots(const Results& results);

// One function per kind of plot; each returns none where the results lack its numbers.
std::vector<Plot> value_plots(const PlotInput& input);         ///< one per family
std::vector<Plot> quality_plots(const PlotInput& input);       ///< F against accuracies
std::vector<Plot> sorted_plots(const PlotInput& input);        ///< scores of rows, worst first
std::vector<Plot> histogram_plots(const PlotInput& input);     ///< scores of groups of rows
std::vector<Plot> example_plots(const PlotInput& input);       ///< scores of chosen rows
std::vector<Plot> roc_plots(const PlotInput& input);           ///< all attacks, one panel each
std::vector<Plot> setting_curves(const PlotInput& input);      ///< values over a setting
std::vector<Plot> parameter_curves(const PlotInput& input);    ///< series over a parameter
std::vector<Plot> trade_off_plot(const PlotInput& input);      ///< utility against forgetting
std::vector<Plot> disagreement_plots(const PlotInput& input);  ///< of metrics, or of methods
std::vector<Plot> graded_plot(const PlotInput& input);         ///< partial retrains
std::vector<Plot> grade_tests_plot(const PlotInput& input);    ///< p-values between grades
std::vector<Plot> before_after_plots(
    const PlotInput& input);                              ///< original and retrained by variant
std::vector<Plot> history_plots(const PlotInput& input);  ///< loss and accuracy by epoch
std::vector<Plot> rank_plot(const PlotInput& input);      ///< mean ranks, critical difference
std::vector<Plot> cost_plot(const PlotInput& input);      ///< seconds of methods, retraining
std::vector<Plot> variance_plot(const PlotInput& input);  ///< noise by its source
std::vector<Plot> pareto_plot(const PlotInput& input);    ///< seconds against forgetting

}  // namespace vestige::report
