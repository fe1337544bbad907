// Impossible combinations of metrics and models, as the families declare them.
#include "vestige/experiment/checks.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/metrics/family.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::experiment {
namespace {

/// Whether an id, or something that begins with it, was asked for.
bool asks_for(const AuditPlan& audit, const std::string& id) {
  return std::any_of(audit.metrics.begin(), audit.metrics.end(), [&](const std::string& metric) {
    return metric == id || metric.starts_with(id + ".");
  });
}

/// How many models of each role an audit of the arm will see; unlearned: of each method.
std::map<std::string, std::int64_t> models_of(const ArmPlan& arm, const AuditPlan& audit) {
  const train::PoolSettings& pool = arm.recipe.pool;
  std::map<std::string, std::int64_t> models = {{"original", pool.original},
                                                {"retrained", pool.retrained},
                                                {"shadow", pool.shadow},
                                                {"random", pool.random},
                                                {"verification", pool.verification}};
  for (auto& [role, count] : models) {
    const auto limit = audit.models.find(role);
    if (limit != audit.models.end()) count = std::min(count, limit->second);
  }
  const std::int64_t runs = arm.recipe.section("unlearn").all().value("seeds", std::int64_t{1});
  models["unlearned"] = models.at("original") * runs;
  return models;
}

}  // namespace

void check_arm(const ArmPlan& arm) {
  for (const AuditPlan& audit : arm.audits) {
    const metrics::Planned planned{
        .models = models_of(arm, audit),
        .forget = arm.recipe.section("forget").all().value("kind", "random"),
        .options = audit.options,
        .asks = [&audit](std::string_view id) { return asks_for(audit, std::string(id)); }};
    for (const metrics::Family& family : metrics::families()) {
      if (family.impossible == nullptr) continue;
      const std::string why = family.impossible(planned);
      require(why.empty(), "{}: arm '{}', audit '{}': {}", arm.recipe.path.string(), arm.name,
              audit.name, why);
    }
  }
}

study::StudyNames study_names(const ExperimentPlan& plan) {
  study::StudyNames names{.arms = plan.arm_names(), .audits = plan.audit_names()};
  for (const ArmPlan& arm : plan.arms) {
    names.split_seeds.push_back(arm.split_seed);
    std::vector<std::string> labels;
    for (const auto& method : unlearn::chosen_methods(arm.recipe, {})) {
      labels.push_back(method.label);
    }
    for (const AuditPlan& audit : arm.audits) {
      names.places.push_back({arm.name, audit.name, audit::Selection(audit.metrics), labels});
    }
  }
  return names;
}

}  // namespace vestige::experiment
