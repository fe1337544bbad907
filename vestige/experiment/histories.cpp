// Reading histories back from the pool.
#include "vestige/experiment/histories.h"

#include <set>

namespace vestige::experiment {
namespace {

/// Parts of a history in one form: methods keep accuracies alone, as plain lists.
Json history_parts(const Json& history) {
  Json parts = Json::object();
  for (const auto& [part, values] : history.items()) {
    parts[part] = values.is_array() ? Json{{"accuracy", values}} : values;
  }
  return parts;
}

}  // namespace

Json histories(const Experiment& experiment, pool::Store& store) {
  Json list = Json::array();
  std::set<std::string> arms;
  for (const Arm& arm : experiment.arms) {
    if (!arms.insert(arm.plan.name).second) continue;
    std::set<std::string> shown;
    const auto add = [&](const std::string& model, const pool::Identity& identity) {
      if (shown.contains(model)) return;
      const auto entry = store.find(identity.name());
      if (!entry || !entry->facts.contains("history") || entry->facts["history"].empty()) return;
      shown.insert(model);
      list.push_back({{"arm", arm.plan.name},
                      {"model", model},
                      {"parts", history_parts(entry->facts["history"])}});
    };
    for (const train::ModelPlan& model : arm.models) {
      if (model.role == "original" || model.role == "retrained") add(model.role, model.identity);
    }
    for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
      if (plan.purpose.empty()) add(plan.method.label, plan.identity);
    }
  }
  return list;
}

}  // namespace vestige::experiment
