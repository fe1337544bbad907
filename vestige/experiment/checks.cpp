// Impossible combinations of metrics and models, as the families declare them.
#include "vestige/experiment/checks.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/metrics/family.h"
#include "vestige/unlearn/unlearning.h"
#include "vestige/words/words.h"

namespace vestige::experiment {
namespace {

/// Whether an id, or something that begins with it, was asked for.
bool asks_for(const AuditPlan& audit, const std::string& id) {
  return std::any_of(audit.metrics.begin(), audit.metrics.end(), [&](const std::string& metric) {
    return metric == id || metric.starts_with(id + ".");
  });
}

/// How many models of each role an audit of the variant will see; unlearned: of each method.
std::map<std::string, std::int64_t> models_of(const VariantPlan& variant, const AuditPlan& audit) {
  const train::PoolSettings& pool = variant.recipe.pool;
  std::map<std::string, std::int64_t> models = {{"original", pool.original},
                                                {"retrained", pool.retrained},
                                                {"shadow", pool.shadow},
                                                {"random", pool.random},
                                                {"verification", pool.verification}};
  for (auto& [role, count] : models) {
    const auto limit = audit.models.find(role);
    if (limit != audit.models.end()) count = std::min(count, limit->second);
  }
  const std::int64_t runs = variant.recipe.section("unlearn").all().value("seeds", std::int64_t{1});
  models["unlearned"] = models.at("original") * runs;
  return models;
}

}  // namespace

void check_variant(const VariantPlan& variant) {
  for (const AuditPlan& audit : variant.audits) {
    const metrics::Planned planned{
        .models = models_of(variant, audit),
        .forget = variant.recipe.section("forget").all().value("kind", "random"),
        .options = audit.options,
        .asks = [&audit](std::string_view id) { return asks_for(audit, std::string(id)); }};
    for (const metrics::Family& family : metrics::families()) {
      if (family.impossible == nullptr) continue;
      const result::Reason why = family.impossible(planned);
      require(why.empty(), "{}: variant '{}', audit '{}': {}", variant.recipe.path.string(),
              variant.name, audit.name, words::text(why));
    }
  }
}

study::StudyNames study_names(const ExperimentPlan& plan) {
  study::StudyNames names{.variants = plan.variant_names(), .audits = plan.audit_names()};
  for (const VariantPlan& variant : plan.variants) {
    names.split_seeds.push_back(variant.split_seed);
    std::vector<std::string> labels;
    for (const auto& method : unlearn::chosen_methods(variant.recipe, {})) {
      labels.push_back(method.label);
    }
    for (const AuditPlan& audit : variant.audits) {
      names.places.push_back({variant.name, audit.name, audit::Selection(audit.metrics), labels});
    }
  }
  return names;
}

}  // namespace vestige::experiment
