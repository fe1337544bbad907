// What makes two probes alike.
#include "vestige/experiment/estimates/timing_keys.h"

#include <fmt/format.h>

#include "vestige/experiment/estimates/timing.h"
#include "vestige/experiment/groups.h"

namespace vestige::experiment {
namespace {

/// A number as far as it matters to how long something takes: repeats and classes in turn have
/// nearly the same sizes.
std::string one_digit(double number) { return fmt::format("{:.0e}", number); }

}  // namespace

std::string training_key(const Variant& variant, const train::ModelPlan& model) {
  Json what = model.identity.what;
  Json key = {
      variant.lab->data.name, variant.lab->data.shape, variant.lab->data.classes, what.at("model"),
      model.copies,           model.train.batch,       model.train.threads};
  return key.dump();
}

std::string method_key(const Variant& variant, const unlearn::UnlearnPlan& plan, bool by_method) {
  const Json key = {variant.lab->data.name,
                    variant.lab->data.shape,
                    variant.lab->data.classes,
                    plan.method.name,
                    by_method ? Json() : plan.method.options,
                    plan.identity.what.at("model"),
                    variant.plan.recipe.train.epochs,
                    variant.plan.recipe.train.batch};
  return key.dump();
}

std::string images_key(const Variant& variant, const unlearn::UnlearnPlan& plan) {
  const auto rows = [&](const char* part) {
    return static_cast<double>(variant.lab->split.part(part).size());
  };
  const Json key = {plan.method.name,
                    plan.method.options,
                    variant.lab->data.shape.size(),
                    one_digit(rows("forget") / rows("train")),
                    variant.plan.recipe.section("forget").all().value("kind", ""),
                    variant.plan.recipe.train.epochs,
                    variant.plan.recipe.train.batch};
  return key.dump();
}

std::string audit_key(const Variant& variant, const AuditPlan& audit) {
  Json sizes = Json::object();
  for (const auto& [name, rows] : variant.lab->split.parts) {
    sizes[name] = one_digit(static_cast<double>(rows.size()));
  }
  const train::PoolSettings& pool = variant.plan.recipe.pool;
  const Json key = {audit.metrics,
                    audit.options,
                    sizes,
                    variant.collect.rows,
                    variant.collect.taps,
                    variant.collect.saliency,
                    variant.collect.checkpoints,
                    pool.original,
                    pool.retrained,
                    pool.shadow,
                    pool.graded,
                    variant.plan.recipe.graded.train.checkpoints.size(),
                    pool.membership,
                    all_runs(variant),
                    variant.lab->data.classes};
  return key.dump();
}

std::string evidence_key(const Variant& variant) {
  Json key = {variant.lab->split.sha256, variant.plan.recipe.section("collect").all()};
  for (const train::ModelPlan& model : variant.models) {
    key.push_back(counted_name(variant, model.role, model.identity));
  }
  for (const unlearn::UnlearnPlan& plan : variant.unlearned) {
    key.push_back(counted_name(variant, "unlearned", plan.identity));
  }
  key.push_back(model_counts(variant));
  key.push_back(all_runs(variant));
  return key.dump();
}

std::string collecting_key(const Variant& variant) {
  Json key = {variant.lab->data.name, variant.lab->data.shape,
              variant.plan.recipe.section("collect").all(),
              one_digit(collected_rows(variant, variant.collect.rows))};
  if (!variant.models.empty()) key.push_back(variant.models.front().identity.what.at("model"));
  return key.dump();
}

}  // namespace vestige::experiment
