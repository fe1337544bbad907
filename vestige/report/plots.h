// The plots of a report as Vega-Lite specifications with their data inside: the page draws them,
// and as files they open in Altair and in every Vega-Lite editor.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/report/blocks.h"

namespace vestige::report {

struct Plot {
  std::string name;     ///< of the file, without .vl.json: "roc-iam.online"
  std::string section;  ///< heading under which it stands: "Attacks"
  std::string title;
  std::string how;  ///< one sentence on how to read it
  std::string alt;  ///< what it shows in words
  Json spec;        ///< Vega-Lite 6; data under data.values
};

/// What the plots are made from. The rows must outlive it.
struct PlotInput {
  const Json& results;
  std::vector<Block> blocks;  ///< every metric in every setting
  std::vector<Block> main;    ///< one setting each
};

/// Every plot that the results have the numbers for, in the order of the page.
std::vector<Plot> plots(const Json& results);

// One function per kind of plot; each returns none where the results lack its numbers.
std::vector<Plot> value_plots(const PlotInput& input);         ///< one per family
std::vector<Plot> epsilon_plots(const PlotInput& input);       ///< histogram, sorted, examples
std::vector<Plot> score_plots(const PlotInput& input);         ///< other histograms of groups
std::vector<Plot> roc_plots(const PlotInput& input);           ///< one per attack
std::vector<Plot> conformal_plots(const PlotInput& input);     ///< CR over alpha; q over its rows
std::vector<Plot> trade_off_plot(const PlotInput& input);      ///< utility against forgetting
std::vector<Plot> disagreement_plots(const PlotInput& input);  ///< of metrics, or of methods
std::vector<Plot> graded_plot(const PlotInput& input);         ///< partial retrains
std::vector<Plot> cost_plot(const PlotInput& input);           ///< seconds of methods, retraining

}  // namespace vestige::report
