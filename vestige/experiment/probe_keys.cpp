// What makes two probes alike.
#include "vestige/experiment/probe_keys.h"

#include <fmt/format.h>

#include "vestige/experiment/groups.h"
#include "vestige/experiment/probe.h"

namespace vestige::experiment {
namespace {

/// A number as far as it matters to how long something takes: repeats and classes in turn have
/// nearly the same sizes.
std::string one_digit(double number) { return fmt::format("{:.0e}", number); }

}  // namespace

std::string training_key(const Arm& arm, const train::ModelPlan& model) {
  Json what = model.identity.what;
  Json key = {arm.lab->data.name, arm.lab->data.shape, arm.lab->data.classes, what.at("model"),
              model.copies,       model.train.batch,   model.train.threads};
  return key.dump();
}

std::string method_key(const Arm& arm, const unlearn::UnlearnPlan& plan, bool by_method) {
  const Json key = {arm.lab->data.name,
                    arm.lab->data.shape,
                    arm.lab->data.classes,
                    plan.method.name,
                    by_method ? Json() : plan.method.options,
                    plan.identity.what.at("model"),
                    arm.plan.recipe.train.epochs,
                    arm.plan.recipe.train.batch};
  return key.dump();
}

std::string images_key(const Arm& arm, const unlearn::UnlearnPlan& plan) {
  const auto rows = [&](const char* part) {
    return static_cast<double>(arm.lab->split.part(part).size());
  };
  const Json key = {plan.method.name,
                    plan.method.options,
                    arm.lab->data.shape.size(),
                    one_digit(rows("forget") / rows("train")),
                    arm.plan.recipe.section("forget").all().value("kind", ""),
                    arm.plan.recipe.train.epochs,
                    arm.plan.recipe.train.batch};
  return key.dump();
}

std::string audit_key(const Arm& arm, const AuditPlan& audit) {
  Json sizes = Json::object();
  for (const auto& [name, rows] : arm.lab->split.parts) {
    sizes[name] = one_digit(static_cast<double>(rows.size()));
  }
  const train::PoolSettings& pool = arm.plan.recipe.pool;
  const Json key = {audit.metrics,
                    audit.options,
                    sizes,
                    arm.collect.rows,
                    arm.collect.taps,
                    arm.collect.saliency,
                    arm.collect.checkpoints,
                    pool.original,
                    pool.retrained,
                    pool.shadow,
                    pool.graded,
                    arm.plan.recipe.graded.train.checkpoints.size(),
                    pool.membership,
                    all_runs(arm),
                    arm.lab->data.classes};
  return key.dump();
}

std::string evidence_key(const Arm& arm) {
  Json key = {arm.lab->split.sha256, arm.plan.recipe.section("collect").all()};
  for (const train::ModelPlan& model : arm.models) {
    key.push_back(counted_name(arm, model.role, model.identity));
  }
  for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
    key.push_back(counted_name(arm, "unlearned", plan.identity));
  }
  key.push_back(model_counts(arm));
  key.push_back(all_runs(arm));
  return key.dump();
}

std::string collecting_key(const Arm& arm) {
  Json key = {arm.lab->data.name, arm.lab->data.shape, arm.plan.recipe.section("collect").all(),
              one_digit(collected_rows(arm, arm.collect.rows))};
  if (!arm.models.empty()) key.push_back(arm.models.front().identity.what.at("model"));
  return key.dump();
}

}  // namespace vestige::experiment
