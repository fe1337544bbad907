// Grids.
#include "vestige/experiment/tune.h"

#include <algorithm>
#include <cmath>

#include "vestige/audit/metric_options.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/metrics/family.h"
#include "vestige/study/rows.h"
#include "vestige/unlearn/registry.h"

namespace vestige::experiment {
namespace {

std::string label_of(const Json& entry) {
  if (entry.is_string()) return entry.get<std::string>();
  return entry.value("label", entry.at("name").get<std::string>());
}

/// All combinations of the lists in `grid`, the last option running fastest.
std::vector<Json> combinations(const Json& grid, const std::string& where) {
  std::vector<Json> all = {Json::object()};
  for (const auto& [option, values] : grid.items()) {
    require(values.is_array() && !values.empty(), "{}: {} must be a list of values", where, option);
    std::vector<Json> longer;
    for (const Json& chosen : all) {
      for (const Json& value : values) {
        Json next = chosen;
        next[option] = value;
        longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string options_text(const Json& options) {
  std::string text;
  for (const auto& [key, value] : options.items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value.dump());
  }
  return text;
}

/// The metric that says of itself that it is tuned for.
std::string usual_metric() {
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (metric.tunes) return std::string(metric.id);
    }
  }
  return {};
}

}  // namespace

TuneSettings read_tune(const Json& table, const std::string& where) {
  Options options(table, where + ": [tune]");
  TuneSettings settings;
  settings.models = options.integer("models", settings.models);
  if (settings.models < 3) options.wrong("models", "F needs pools: give 3 or more");
  settings.metric = options.text("metric", usual_metric());
  if (metrics::find_metric(settings.metric) == nullptr) {
    options.wrong("metric", "there is no such metric: vestige metrics lists them");
  }
  settings.seed_offset = options.integer("seed_offset", settings.seed_offset);
  settings.grid = options.raw("grid");
  options.finish();
  require(settings.grid.is_object() && !settings.grid.empty(),
          "{}: [tune] needs a grid: write [tune.grid.finetune] rate = [0.01, 0.1] and the like",
          where);
  return settings;
}

std::vector<TunePoint> tune_points(const train::Recipe& recipe, const TuneSettings& settings) {
  const std::string where = recipe.path.string();
  const Json entries = recipe.table.value("methods", Json::array());
  std::vector<std::string> labels;
  for (const Json& entry : entries) labels.push_back(label_of(entry));
  std::vector<TunePoint> points;
  for (const auto& [method, grid] : settings.grid.items()) {
    const auto found = std::find(labels.begin(), labels.end(), method);
    require(found != labels.end(), "{}: [tune.grid.{}]: the recipe has no such method{}", where,
            method, labels.empty() ? "" : ": the nearest is " + nearest(method, labels));
    require(grid.is_object() && !grid.empty(), "{}: [tune.grid.{}] must be a table of lists", where,
            method);
    const Json& base = entries[static_cast<std::size_t>(found - labels.begin())];
    for (const Json& options :
         combinations(grid, fmt::format("{}: [tune.grid.{}]", where, method))) {
      Json entry = base.is_string() ? Json{{"name", base}} : base;
      for (const auto& [key, value] : options.items()) entry[key] = value;
      const std::string label = fmt::format("{}@{}", method, points.size());
      points.push_back({method, label, std::move(entry), options});
    }
  }
  return points;
}

ExperimentPlan tune_plan(const ArmPlan& arm, const TuneSettings& settings,
                         const std::vector<TunePoint>& points) {
  Json table = arm.recipe.table;
  table["seed"] = static_cast<std::int64_t>(arm.recipe.seed) + settings.seed_offset;
  table["pool"]["original"] = settings.models;
  table["pool"]["retrained"] = settings.models;
  table["pool"]["shadow"] = 0;
  table["pool"]["partial"] = 0;
  table["pool"]["membership"] = 0;
  table["unlearn"]["seeds"] = 1;
  table["methods"] = Json::array();
  for (const TunePoint& point : points) {
    Json entry = point.entry;
    entry["label"] = point.label;
    table["methods"].push_back(std::move(entry));
  }
  ExperimentPlan plan;
  plan.path = arm.recipe.path;
  plan.name = "tune";
  plan.size = arm.name;
  ArmPlan points_arm;
  points_arm.name = arm.name;
  points_arm.recipe = train::make_recipe(table, arm.recipe.path);
  points_arm.recipe.pool.folder = arm.recipe.pool.folder;
  points_arm.split_seed = points_arm.recipe.seed;
  AuditPlan audit;
  audit.metrics = {settings.metric};
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (!metric.utility_of.empty()) audit.metrics.emplace_back(metric.id);
    }
  }
  audit.options = audit::checked_options(Json::object(), "tune");
  points_arm.audits = {audit};
  plan.arms = {std::move(points_arm)};
  return plan;
}

std::vector<TunedPoint> judge_points(const std::vector<TunePoint>& points,
                                     const TuneSettings& settings,
                                     const std::vector<ArmAudit>& audits) {
  const metrics::MetricInfo* info = metrics::find_metric(settings.metric);
  const double sign = info->direction == metrics::Direction::lower ? -1 : 1;
  std::vector<TunedPoint> judged;
  for (const TunePoint& point : points) {
    double sum = 0;
    int count = 0;
    for (const ArmAudit& audit : audits) {
      for (const study::StudyRow& own : audit.results.rows) {
        const metrics::Row& row = own.row;
        if (row.metric != settings.metric || std::isnan(row.value)) continue;
        if (study::method_label(row.subject) != point.label) continue;
        sum += row.value;
        ++count;
      }
    }
    judged.push_back({point, count > 0 ? sum / count : metrics::kUndefined, false});
  }
  for (TunedPoint& candidate : judged) {
    candidate.best = !std::isnan(candidate.value) &&
                     std::none_of(judged.begin(), judged.end(), [&](const TunedPoint& other) {
                       const bool earlier = &other < &candidate;
                       return other.point.method == candidate.point.method &&
                              (sign * other.value > sign * candidate.value ||
                               (earlier && other.value == candidate.value));
                     });
  }
  return judged;
}

Json tuned_methods(const train::Recipe& recipe, const std::vector<TunedPoint>& points) {
  Json methods = recipe.table.value("methods", Json::array());
  for (Json& entry : methods) {
    const std::string label = label_of(entry);
    for (const TunedPoint& tuned : points) {
      if (!tuned.best || tuned.point.method != label) continue;
      entry = tuned.point.entry;
      entry["label"] = label;
    }
  }
  return methods;
}

std::string tune_text(const std::vector<TunedPoint>& points, const TuneSettings& settings) {
  std::string text = fmt::format("{:<24} {:>20}  options\n", "method", settings.metric);
  for (const TunedPoint& tuned : points) {
    text += fmt::format("{:<24} {:>20}  {}{}\n", tuned.point.method,
                        std::isnan(tuned.value) ? "undefined" : fmt::format("{:.4f}", tuned.value),
                        options_text(tuned.point.options), tuned.best ? "  <- best" : "");
  }
  return text;
}

}  // namespace vestige::experiment
