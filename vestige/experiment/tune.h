// Tuning: points of options for each method, measured on a split and models of their own, so that
// what is reported later was not seen while tuning (competition paper, second data set: "light
// tuning"). Any metric whose controls do not fail may decide, by its own direction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/experiment/experiment_plan.h"
#include "vestige/experiment/measure.h"
#include "vestige/result/study.h"

namespace vestige::experiment {

/// [tune]: models, repeats, metric, goal, seed_offset and grid.METHOD = { option = [values] }, or
/// all and points.
struct TuneSettings {
  std::int64_t models = 16;  ///< N of the tuning pools; 2 by default where the metric needs no pool
  std::int64_t repeats = 1;  ///< runs on each original; several: F over experiments (reuse-n-n)
  std::string metric;        ///< what decides; default: MetricInfo::tunes
  metrics::Direction goal = metrics::Direction::match;  ///< default: the metric's direction
  std::int64_t seed_offset = 1000;                      ///< tuning's seed is the recipe's plus this
  Json grid = Json::object();                           ///< method label -> option -> values
  bool all = false;         ///< every method by its default grid, instead of the recipe's
  std::int64_t points = 0;  ///< of each default grid
};

TuneSettings read_tune(const Json& table, const std::string& where);

/// One point of a method's grid.
struct TunePoint {
  std::string method;  ///< the label in the recipe
  std::string label;   ///< in the tuning run: "finetune@3"
  Json entry;          ///< the [[methods]] entry to use if it wins
  Json options;        ///< what the grid set
};

/// A method that a default grid exists for and the recipe cannot run.
struct LeftOut {
  std::string method;
  std::string why;
};

/// What is tuned: a list of entries like a recipe's `methods`, and every point of their grids.
struct TuneList {
  Json methods = Json::array();
  std::vector<TunePoint> points;
  std::vector<LeftOut> left_out;
};

/// Points of the recipe's grids (methods without one have none), or of all default grids.
/// InputError for a grid of a method that the recipe does not name.
TuneList tune_list(const train::Recipe& recipe, const TuneSettings& settings);

/// The plan that measures all points of a variant, with the shadow and random models that the
/// metric needs and the recipe has.
ExperimentPlan tune_plan(const VariantPlan& variant, const TuneSettings& settings,
                         const std::vector<TunePoint>& points);

struct TunedPoint {
  TunePoint point;
  double value = 0;    ///< mean over audits and models; NaN if it failed
  double badness = 0;  ///< what decides, small is good: value, -value or distance to retrained
  std::string failed;  ///< "2 of 4 runs failed: why"; such a point does not win
  bool best = false;
};

struct TuneResult {
  std::vector<TunedPoint> points;
  std::string measure;  ///< metric and setting that decided
  double original = 0;  ///< its mean on originals and on retrained models
  double retrained = 0;
  std::string controls;           ///< why the metric's controls failed: then no point is best
  std::vector<std::string> lost;  ///< methods of which no point worked
};

/// Values of all points, the best of each method marked.
TuneResult judge_points(const std::vector<TunePoint>& points, const TuneSettings& settings,
                        const std::vector<VariantAudit>& audits,
                        const std::vector<result::FailedRuns>& failed = {});

/// The methods with the winners' options.
Json tuned_methods(const Json& methods, const std::vector<TunedPoint>& points);

/// The label of a [[methods]] entry.
std::string label_of(const Json& entry);
/// "rate = 0.1, epochs = 2"
std::string options_text(const Json& options);
/// "nearest to retrained wins", "lower wins"
std::string goal_text(metrics::Direction goal);

/// What will be tried, for people: the number of points of each method, what decides, what is left
/// out.
std::string tune_plan_text(const TuneList& list, const TuneSettings& settings);

/// The table for people.
std::string tune_text(const TuneResult& result, const TuneList& list, const TuneSettings& settings);

}  // namespace vestige::experiment
