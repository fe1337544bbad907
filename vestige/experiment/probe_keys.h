// Which probes are alike, so that one is made for all of them.
#pragma once

#include <string>

#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// Models that train alike.
std::string training_key(const Arm& arm, const train::ModelPlan& model);
/// Runs that take as long; `by_method`: whatever their options.
std::string method_key(const Arm& arm, const unlearn::UnlearnPlan& plan, bool by_method);
/// What decides how many images a method looks at.
std::string images_key(const Arm& arm, const unlearn::UnlearnPlan& plan);
/// Audits that take as long for each model of their arm.
std::string audit_key(const Arm& arm, const AuditPlan& audit);
/// Arms with the same models, rows and settings share their evidence.
std::string evidence_key(const Arm& arm);
/// Models whose outputs are collected alike.
std::string collecting_key(const Arm& arm);

}  // namespace vestige::experiment
