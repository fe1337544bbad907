// Reading histories back from the pool.
#include "vestige/experiment/histories.h"

#include <map>
#include <set>

#include "vestige/result/codec.h"

namespace vestige::experiment {
namespace {

/// Parts of a history in one form: methods keep accuracies alone, as plain lists.
std::map<std::string, result::EpochCurve> history_parts(const Json& history) {
  std::map<std::string, result::EpochCurve> parts;
  for (const auto& [part, values] : history.items()) {
    if (values.is_array()) {
      result::read(values, parts[part].accuracy);
    } else {
      result::read(values, parts[part]);
    }
  }
  return parts;
}

}  // namespace

std::vector<result::History> histories(const Experiment& experiment, pool::Store& store) {
  std::vector<result::History> list;
  std::set<std::string> variants;
  for (const Variant& variant : experiment.variants) {
    if (!variants.insert(variant.plan.name).second) continue;
    std::set<std::string> shown;
    const auto add = [&](const std::string& model, const pool::Identity& identity) {
      if (shown.contains(model)) return;
      const auto entry = store.find(identity.name());
      if (!entry || !entry->facts.contains("history") || entry->facts["history"].empty()) return;
      shown.insert(model);
      list.push_back({.variant = variant.plan.name,
                      .model = model,
                      .parts = history_parts(entry->facts["history"])});
    };
    for (const train::ModelPlan& model : variant.models) {
      if (model.role == "original" || model.role == "retrained") add(model.role, model.identity);
    }
    for (const unlearn::UnlearnPlan& plan : variant.unlearned) {
      if (plan.purpose.empty()) add(plan.method.label, plan.identity);
    }
  }
  return list;
}

}  // namespace vestige::experiment
