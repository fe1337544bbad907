// An experiment ready to be worked off: every variant's data, split and models, and the jobs that
// all variants need together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vestige/collect/collect.h"
#include "vestige/experiment/estimates/outline.h"
#include "vestige/experiment/experiment_plan.h"
#include "vestige/pool/job.h"
#include "vestige/pool/store.h"
#include "vestige/study/paper_checks.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/probing.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::experiment {

/// One repeat of one variant with its models.
struct Variant {
  VariantPlan plan;
  std::shared_ptr<const train::Lab> lab;
  std::vector<train::ModelPlan> models;
  std::vector<unlearn::UnlearnPlan> unlearned;
  std::vector<unlearn::ProbePlan> probed;
  collect::CollectSettings collect;
  FullCounts outline{};  ///< where the lists above hold only the first of many
};

/// Whether the variant's forget rows are still to be searched: others stand in for them, so that
/// its retrained and unlearned models are not yet those that will be made.
bool stands_in(const Variant& variant);
/// The name by which a model is counted: its own, or one that no pool has where it is not known
/// yet.
std::string counted_name(const Variant& variant, const std::string& role,
                         const pool::Identity& identity);

struct Experiment {
  ExperimentPlan plan;
  std::string device;
  Context context;
  std::vector<Variant> variants;
  std::vector<study::Check> checks;
};

/// Whether every model is listed, or the first ones of each kind: for plans and estimates, of which
/// the competition's has three million runs of methods.
enum class Detail { whole, outline };

/// Loads data, makes splits and plans, and checks methods, metrics and findings against them:
/// whatever cannot work is an InputError here.
Experiment open(ExperimentPlan plan, const std::string& device, Detail detail = Detail::whole,
                const Context& context = {});

/// The jobs of all variants; a model that several variants need is made once.
std::vector<pool::Job> jobs(const Experiment& experiment, std::shared_ptr<pool::Store> store);

/// What is to be done, for people: variants, models of each role, runs of methods, audits; what the
/// pool has already.
std::string plan_text(const Experiment& experiment, pool::Store& store);
/// The same as data.
Json plan_json(const Experiment& experiment);

}  // namespace vestige::experiment
