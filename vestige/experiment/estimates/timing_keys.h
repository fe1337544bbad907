// Which probes are alike, so that one is made for all of them.
#pragma once

#include <string>

#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// Models that train alike.
std::string training_key(const Variant& variant, const train::ModelPlan& model);
/// Runs that take as long; `by_method`: whatever their options.
std::string method_key(const Variant& variant, const unlearn::UnlearnPlan& plan, bool by_method);
/// What decides how many images a method looks at.
std::string images_key(const Variant& variant, const unlearn::UnlearnPlan& plan);
/// Audits that take as long for each model of their variant.
std::string audit_key(const Variant& variant, const AuditPlan& audit);
/// Variants with the same models, rows and settings share their evidence.
std::string evidence_key(const Variant& variant);
/// Models whose outputs are collected alike.
std::string collecting_key(const Variant& variant);

}  // namespace vestige::experiment
