// Grouping and counting.
#include "vestige/experiment/groups.h"

#include <algorithm>
#include <cmath>

namespace vestige::experiment {
namespace {

/// Models of a role: as many as are listed, or as an outline says.
double truly(const Variant& variant, const std::string& role, double listed) {
  const auto found = variant.outline.models.find(role);
  return found == variant.outline.models.end() ? listed : static_cast<double>(found->second);
}

std::string origin_role(const unlearn::UnlearnPlan& plan) {
  return plan.purpose == "calibration_shadow" ? "calibration_original" : "original";
}

/// Runs of a method on each of how many originals.
struct RunGroup {
  const unlearn::UnlearnPlan* first = nullptr;
  double listed = 0;
  double originals = 0;  ///< that are listed

  double count(const Variant& variant) const {
    return truly(variant, origin_role(*first), originals);
  }
  double runs(const Variant& variant) const {
    return variant.outline.runs > 0 ? static_cast<double>(variant.outline.runs)
                                    : listed / originals;
  }
};

/// In the order of the list; its runs of one method on one original lie together.
std::vector<RunGroup> grouped_runs(const Variant& variant) {
  std::vector<RunGroup> groups;
  std::int64_t last = -1;
  for (const unlearn::UnlearnPlan& plan : variant.unlearned) {
    if (groups.empty() || groups.back().first->method.label != plan.method.label ||
        groups.back().first->purpose != plan.purpose) {
      groups.push_back({&plan, 0, 0});
      last = -1;
    }
    RunGroup& group = groups.back();
    ++group.listed;
    if (plan.original != last) ++group.originals;
    last = plan.original;
  }
  return groups;
}

}  // namespace

std::vector<PlanGroup> role_groups(const Variant& variant, pool::Store& store) {
  std::vector<PlanGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const train::ModelPlan& model : variant.models) {
    const auto [place, fresh] = places.emplace(model.role, groups.size());
    const std::string name = counted_name(variant, model.role, model.identity);
    if (fresh) groups.push_back({.kind = name, .model = &model});
    PlanGroup& group = groups[place->second];
    ++group.count;
    if (store.has(name)) ++group.present;
  }
  for (PlanGroup& group : groups) {
    group.present /= group.count;
    group.count = truly(variant, group.model->role, group.count);
  }
  return groups;
}

std::vector<PlanGroup> method_groups(const Variant& variant, pool::Store& store) {
  std::vector<PlanGroup> groups;
  const auto name = [&](const unlearn::UnlearnPlan& plan) {
    return counted_name(variant, "unlearned", plan.identity);
  };
  for (const RunGroup& runs : grouped_runs(variant)) {
    PlanGroup group{.kind = name(*runs.first), .run = runs.first};
    group.count = runs.count(variant);
    group.runs = runs.runs(variant);
    const auto listed = static_cast<std::ptrdiff_t>(runs.listed);
    group.present = static_cast<double>(
                        std::count_if(runs.first, runs.first + listed,
                                      [&](const auto& plan) { return store.has(name(plan)); })) /
                    runs.listed;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::map<std::string, std::int64_t> model_counts(const Variant& variant) {
  std::map<std::string, std::int64_t> counts;
  for (const train::ModelPlan& model : variant.models) ++counts[model.role];
  for (auto& [role, count] : counts) {
    count = std::llround(truly(variant, role, static_cast<double>(count)));
  }
  return counts;
}

std::map<std::string, std::int64_t> run_counts(const Variant& variant) {
  std::map<std::string, std::int64_t> counts;
  for (const RunGroup& group : grouped_runs(variant)) {
    if (!group.first->purpose.empty()) continue;
    counts[group.first->method.label] += std::llround(group.count(variant) * group.runs(variant));
  }
  return counts;
}

std::int64_t all_runs(const Variant& variant) {
  std::int64_t runs = 0;
  for (const RunGroup& group : grouped_runs(variant)) {
    runs += std::llround(group.count(variant) * group.runs(variant));
  }
  return runs;
}

}  // namespace vestige::experiment
