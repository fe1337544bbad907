// Light tuning (competition paper, second data set): a small grid of options for each method, the
// best final score wins. It runs on a split and models of its own, so that what is reported later
// was not seen while tuning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/experiment/experiment_plan.h"
#include "vestige/experiment/measure.h"

namespace vestige::experiment {

/// [tune]: models, metric, seed_offset and grid.METHOD = { option = [values] }.
struct TuneSettings {
  std::int64_t models = 16;         ///< N of the tuning pools
  std::string metric;               ///< what wins, by its direction; default: MetricInfo::tunes
  std::int64_t seed_offset = 1000;  ///< tuning's seed is the recipe's plus this
  Json grid = Json::object();       ///< method label -> option -> values
};

TuneSettings read_tune(const Json& table, const std::string& where);

/// One point of a method's grid.
struct TunePoint {
  std::string method;  ///< the label in the recipe
  std::string label;   ///< in the tuning run: "finetune@3"
  Json entry;          ///< the [[methods]] entry to use if it wins
  Json options;        ///< what the grid set
};

/// Every point of every grid; methods without one are not in it. InputError for a grid of a method
/// that the recipe does not name.
std::vector<TunePoint> tune_points(const train::Recipe& recipe, const TuneSettings& settings);

/// The plan that measures all points of an arm.
ExperimentPlan tune_plan(const ArmPlan& arm, const TuneSettings& settings,
                         const std::vector<TunePoint>& points);

struct TunedPoint {
  TunePoint point;
  double value = 0;  ///< mean over audits; NaN if it failed
  bool best = false;
};

/// Values of all points, the best of each method marked.
std::vector<TunedPoint> judge_points(const std::vector<TunePoint>& points,
                                     const TuneSettings& settings,
                                     const std::vector<ArmAudit>& audits);

/// The recipe's methods with the winners' options.
Json tuned_methods(const train::Recipe& recipe, const std::vector<TunedPoint>& points);

/// The table for people.
std::string tune_text(const std::vector<TunedPoint>& points, const TuneSettings& settings);

}  // namespace vestige::experiment
