// Grids, and the plan that measures them; who wins is in tune_judge.cpp.
#include "vestige/experiment/tune.h"

#include <algorithm>
#include <map>

#include "vestige/audit/metric_options.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/experiment/checks.h"
#include "vestige/metrics/family.h"
#include "vestige/unlearn/default_grid.h"
#include "vestige/unlearn/registry.h"

namespace vestige::experiment {
namespace {

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

/// The points of one method, numbered through all methods.
void add_points(const std::string& method, const Json& base, const std::vector<Json>& options,
                TuneList& list) {
  for (const Json& chosen : options) {
    Json entry = base.is_string() ? Json{{"name", base}} : base;
    for (const auto& [key, value] : chosen.items()) entry[key] = value;
    const std::string label = fmt::format("{}@{}", method, list.points.size());
    list.points.push_back({method, label, std::move(entry), chosen});
  }
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

/// Whether the metric compares groups of models.
bool needs_pools(const std::string& metric) {
  const metrics::Family* family = metrics::family_of(metric);
  return family != nullptr && family->unit == metrics::Unit::pool;
}

metrics::Direction read_goal(Options& options, metrics::Direction usual) {
  const std::string goal =
      options.choice("goal", metrics::name(usual), {"lower", "higher", "match"});
  return result::from_name<metrics::Direction>(goal).value_or(usual);
}

TuneList default_list(const train::Recipe& recipe, const TuneSettings& settings) {
  TuneList list;
  for (const unlearn::MethodInfo& method : unlearn::methods()) {
    const std::vector<Json> grid =
        unlearn::default_grid(method, static_cast<std::size_t>(settings.points));
    if (grid.empty()) continue;
    const std::string missing = unlearn::missing_need(method.id, recipe);
    if (!missing.empty()) {
      list.left_out.push_back({method.id, "it needs " + missing});
      continue;
    }
    list.methods.push_back(method.id);
    add_points(method.id, Json(method.id), grid, list);
  }
  return list;
}

/// The audit of the tuning run: the metric with the variant's own options, and the accuracies
/// beside.
AuditPlan tune_audit(const VariantPlan& variant, const TuneSettings& settings) {
  AuditPlan audit;
  audit.metrics = {settings.metric};
  // Controls of what it is made of are its controls.
  for (const std::string_view part : metrics::find_metric(settings.metric)->parts) {
    audit.metrics.emplace_back(part);
  }
  Json options = variant.audits.empty() ? Json::object() : variant.audits.front().options;
  for (const metrics::Family& family : metrics::families()) {
    // A setup counts the variant's models, not those of tuning.
    if (metrics::takes_setups(family)) {
      const std::string name(family.name);
      for (const char* key : {".setup", ".models", ".experiments"}) options.erase(name + key);
      if (settings.repeats > 1) {
        // Competition paper, A.7.2: the same N originals and retrained models in every repeat.
        options[name + ".setup"] = "reuse-n-n";
        options[name + ".models"] = settings.models;
        options[name + ".experiments"] = settings.repeats;
      }
    }
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (!metric.utility_of.empty()) audit.metrics.emplace_back(metric.id);
    }
  }
  audit.options = audit::checked_options(options, "tune");
  return audit;
}

/// The variant that measures the points, with `pool` as the numbers of its other models.
VariantPlan tune_variant(const VariantPlan& variant, Json table, const Json& pool,
                         const AuditPlan& audit) {
  for (const auto& [role, count] : pool.items()) table["pool"][role] = count;
  VariantPlan result;
  result.name = variant.name;
  result.recipe = train::make_recipe(table, variant.recipe.path);
  result.recipe.pool.folder = variant.recipe.pool.folder;
  result.split_seed = result.recipe.seed;
  result.audits = {audit};
  return result;
}

}  // namespace

std::string label_of(const Json& entry) {
  if (entry.is_string()) return entry.get<std::string>();
  return entry.value("label", entry.at("name").get<std::string>());
}

std::string options_text(const Json& options) {
  std::string text;
  for (const auto& [key, value] : options.items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value.dump());
  }
  return text;
}

std::string goal_text(metrics::Direction goal) {
  return goal == metrics::Direction::match ? "nearest to retrained wins"
                                           : fmt::format("{} wins", metrics::name(goal));
}

TuneSettings read_tune(const Json& table, const std::string& where) {
  Options options(table, where + ": [tune]");
  TuneSettings settings;
  settings.metric = options.text("metric", usual_metric());
  const metrics::MetricInfo* info = metrics::find_metric(settings.metric);
  if (info == nullptr) {
    options.wrong("metric", "there is no such metric: vestige metrics lists them");
  }
  settings.goal = read_goal(options, info->direction);
  const bool pools = needs_pools(settings.metric);
  settings.models = options.integer("models", pools ? settings.models : 2);
  if (settings.models < (pools ? 3 : 1)) {
    options.wrong("models", fmt::format("{} needs {} or more", settings.metric, pools ? 3 : 1));
  }
  settings.repeats = options.integer("repeats", settings.repeats);
  if (settings.repeats < 1) options.wrong("repeats", "at least one run on each original is needed");
  settings.seed_offset = options.integer("seed_offset", settings.seed_offset);
  settings.all = options.boolean("all", false);
  constexpr auto kMost = static_cast<std::int64_t>(unlearn::kGridPoints);
  settings.points = options.integer("points", kMost);
  if (settings.points < 1 || settings.points > kMost) {
    options.wrong("points", fmt::format("a default grid has 1 to {} points", kMost));
  }
  settings.grid = options.raw("grid");
  options.finish();
  require(settings.all || (settings.grid.is_object() && !settings.grid.empty()),
          "{}: [tune] needs a grid: write [tune.grid.finetune] rate = [0.01, 0.1] and the like, or "
          "give --all for the default grids of all methods",
          where);
  return settings;
}

TuneList tune_list(const train::Recipe& recipe, const TuneSettings& settings) {
  if (settings.all) return default_list(recipe, settings);
  const std::string where = recipe.path.string();
  TuneList list{
      .methods = recipe.table.value("methods", Json::array()), .points = {}, .left_out = {}};
  std::vector<std::string> labels;
  for (const Json& entry : list.methods) labels.push_back(label_of(entry));
  for (const auto& [method, grid] : settings.grid.items()) {
    const auto found = std::find(labels.begin(), labels.end(), method);
    require(found != labels.end(), "{}: [tune.grid.{}]: the recipe has no such method{}", where,
            method, labels.empty() ? "" : ": the nearest is " + nearest(method, labels));
    require(grid.is_object() && !grid.empty(), "{}: [tune.grid.{}] must be a table of lists", where,
            method);
    add_points(method, list.methods[static_cast<std::size_t>(found - labels.begin())],
               combinations(grid, fmt::format("{}: [tune.grid.{}]", where, method)), list);
  }
  return list;
}

ExperimentPlan tune_plan(const VariantPlan& variant, const TuneSettings& settings,
                         const std::vector<TunePoint>& points) {
  Json table = variant.recipe.table;
  table["seed"] = static_cast<std::int64_t>(variant.recipe.seed) + settings.seed_offset;
  table["pool"]["original"] = settings.models;
  table["pool"]["retrained"] = settings.models;
  if (table.contains("forget") && table["forget"].contains("seed")) {
    table["forget"]["seed"] = table["forget"]["seed"].get<std::int64_t>() + settings.seed_offset;
  }
  table["unlearn"]["seeds"] = settings.repeats;
  table["methods"] = Json::array();
  table.erase("probes");
  for (const TunePoint& point : points) {
    Json entry = point.entry;
    entry["label"] = point.label;
    table["methods"].push_back(std::move(entry));
  }
  ExperimentPlan plan;
  plan.path = variant.recipe.path;
  plan.name = "tune";
  plan.size = variant.name;
  const AuditPlan audit = tune_audit(variant, settings);
  const Json none = {{"shadow", 0},     {"random", 0}, {"partial", 0},
                     {"membership", 0}, {"graded", 0}, {"verification", 0}};
  const Json helpers = {{"partial", 0}, {"membership", 0}, {"verification", 0}};
  VariantPlan bare = tune_variant(variant, table, none, audit);
  // Models besides originals and retrained ones only where the metric cannot do without them.
  try {
    check_variant(bare);
    plan.variants = {std::move(bare)};
  } catch (const InputError&) {
    VariantPlan with = tune_variant(variant, table, helpers, audit);
    check_variant(with);
    plan.variants = {std::move(with)};
  }
  return plan;
}

std::string tune_plan_text(const TuneList& list, const TuneSettings& settings) {
  std::string text = fmt::format("decides: {}, {}\n", settings.metric, goal_text(settings.goal));
  std::map<std::string, std::size_t> counts;
  for (const TunePoint& point : list.points) ++counts[point.method];
  text += fmt::format("{} methods, {} points, each on {} models{}:\n", counts.size(),
                      list.points.size(), settings.models,
                      settings.repeats > 1 ? fmt::format(", {} times", settings.repeats) : "");
  for (const TunePoint& point : list.points) {
    text += fmt::format("  {:<22} {}\n", point.method, options_text(point.options));
  }
  for (const LeftOut& own : list.left_out) {
    text += fmt::format("  {:<22} left out: {}\n", own.method, own.why);
  }
  return text;
}

}  // namespace vestige::experiment
