// Levels of graded retrains and their tests.
#include "vestige/metrics/miau/miau_graded.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Model;

/// Per cent of forget that a partial retrain left out: from evidence.toml, else its name.
double removed_percent(const evidence::Evidence& evidence, const std::string& method) {
  const auto stated = evidence.removed_fraction.find(method);
  if (stated != evidence.removed_fraction.end()) return 100 * stated->second;
  char* end = nullptr;
  const double value = std::strtod(method.c_str(), &end);
  return end != method.c_str() && *end == '\0' ? value : kUndefined;
}

/// Levels with their scores: one per model where every level has the same two or more names, else
/// one per attack seed of the first model.
std::vector<GradedLevel> graded_levels(const MiauContext& context, std::string& pairs) {
  const evidence::Evidence& evidence = *context.comparison.evidence;
  std::vector<const evidence::Group*> groups;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role == "partial" && !std::isnan(removed_percent(evidence, group.method))) {
      groups.push_back(&group);
    }
  }
  bool by_model = !groups.empty() && groups.front()->models.size() >= 2;
  for (const evidence::Group* group : groups) {
    by_model = by_model && std::equal(group->models.begin(), group->models.end(),
                                      groups.front()->models.begin(), groups.front()->models.end(),
                                      [](const Model& left, const Model& right) {
                                        return left.name == right.name;
                                      });
  }
  pairs = by_model ? "models" : "attack seeds";
  std::vector<GradedLevel> levels;
  for (const evidence::Group* group : groups) {
    GradedLevel level{removed_percent(evidence, group->method), {}};
    for (const Model& model : group->models) {
      const MiauParts parts = parts_of(context.comparison, model);
      if (!context.find(&model)->complete() || !context.find(parts.original)->complete() ||
          !context.find(parts.retrained)->complete()) {
        return {};
      }
      const std::vector<double> scores = totals(scores_of(context, model, parts));
      if (!by_model) {
        level.scores = scores;
        break;
      }
      level.scores.push_back(mean(scores));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace

Models partial_models(const evidence::Evidence& evidence) {
  Models models;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "partial") continue;
    for (const Model& model : group.models) models.push_back(&model);
  }
  return models;
}

void add_graded(const MiauContext& context, Row& row) {
  const Model& model = *context.comparison.candidate.front();
  if (model.role != "partial") return;
  const double own = removed_percent(*context.comparison.evidence, model.method);
  std::string pairs;
  std::vector<GradedLevel> levels = graded_levels(context, pairs);
  if (levels.size() < 2 || std::isnan(own)) return;
  const GradedSummary summary = graded_summary(std::move(levels));
  Json tests = Json::array();
  for (const GradedTest& test : summary.tests) {
    if (test.higher != own) continue;
    tests.push_back({{"greater_than", test.lower},
                     {"mean_difference", json_number(test.mean_difference)},
                     {"lower", json_number(test.interval_lower)},
                     {"upper", json_number(test.interval_upper)},
                     {"cohen_d", json_number(test.cohen_d)},
                     {"p", json_number(test.p)}});
  }
  row.facts["graded"] = {{"removed", summary.removed},
                         {"means", summary.means},
                         {"monotone", summary.monotone},
                         {"pairs", pairs},
                         {"tests", tests}};
  row.notes.push_back(summary.monotone ? Code::graded_models_in_order
                                       : Code::graded_models_out_of_order);
}

}  // namespace vestige::metrics
