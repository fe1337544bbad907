// Adding up probes.
#include "vestige/experiment/estimates/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/experiment/estimates/duration.h"
#include "vestige/experiment/estimates/measured_rates.h"
#include "vestige/experiment/estimates/timing_keys.h"
#include "vestige/experiment/groups.h"
#include "vestige/experiment/tune.h"
#include "vestige/train/hardest.h"

namespace vestige::experiment {
namespace {

/// The epochs of a method's options; 1 where it has none.
double epochs_of(const unlearn::UnlearnPlan& plan) {
  const Json& options = plan.method.options;
  const bool has = options.contains("epochs") && options["epochs"].is_number();
  const double epochs = has ? options["epochs"].get<double>() : 1;
  return epochs > 0 ? epochs : 1;
}

/// Where a step of training takes longer than this for an image, in seconds, nothing else is tried
/// on the variant's own network: a look at a few hundred images would take half a minute.
constexpr double kSlowImage = 0.02;

/// Where training one model takes longer than this, in seconds, methods are not tried on the
/// variant's own network: eight of them on a ResNet-18 take minutes on two cores.
constexpr double kLongTraining = 60;

/// One run of a method: tried, or counted in images of training where training takes long.
Rate method_rate(const Variant& variant, const unlearn::UnlearnPlan& plan, Probes& probes) {
  if (probes.rated) return rated_method(variant, plan);
  if (variant.models.empty()) return probe_method(variant, plan);
  const train::ModelPlan& model = variant.models.front();
  const auto training = probes.training.find(training_key(variant, model));
  if (training == probes.training.end()) return probe_method(variant, plan);
  const double images = model.train.epochs * static_cast<double>(model.rows.size());
  if (training->second.seconds(images) <= kLongTraining) return probe_method(variant, plan);
  const std::string key = images_key(variant, plan);
  if (!probes.images.contains(key)) probes.images[key] = count_images(variant, plan);
  const Rate& counted = probes.images[key];
  return {counted.fixed * training->second.per_row, counted.per_row * training->second.per_row};
}

/// Seconds of one run on the whole variant, from a probe; 0 where the probe fails, which is noted.
double method_seconds_of(const Variant& variant, const unlearn::UnlearnPlan& plan, Probes& probes) {
  const std::string key = method_key(variant, plan, probes.by_method);
  if (probes.impossible.contains(plan.method.name)) return 0;
  if (!probes.methods.contains(key)) {
    try {
      probes.methods[key] = method_rate(variant, plan, probes);
    } catch (const InputError& error) {
      probes.impossible[plan.method.name] = error.what();
      return 0;
    }
    probes.epochs[key] = epochs_of(plan);
  }
  const double share = probes.by_method ? epochs_of(plan) / probes.epochs[key] : 1;
  return share *
         probes.methods[key].seconds(static_cast<double>(variant.lab->split.part("train").size()));
}

/// Models of the variant and runs of its methods, and the constant predictor.
double variant_models(const Variant& variant) {
  double count = static_cast<double>(all_runs(variant)) + 1;
  for (const auto& [role, models] : model_counts(variant)) count += static_cast<double>(models);
  return count;
}

/// How many stand for one of those that a probe before unlearning or after it is planned on.
double behind(const Variant& variant, const std::string& id) {
  const std::string role = id.substr(0, id.find('/'));
  const auto listed =
      std::count_if(variant.models.begin(), variant.models.end(),
                    [&](const train::ModelPlan& model) { return model.role == role; });
  if (listed > 0)
    return static_cast<double>(model_counts(variant)[role]) / static_cast<double>(listed);
  return static_cast<double>(all_runs(variant)) / static_cast<double>(variant.unlearned.size());
}

/// What is collected, checkpoints among it.
double collected_models(const Variant& variant) {
  double count = variant_models(variant) - 1;
  for (const unlearn::ProbePlan& plan : variant.probed) {
    count += behind(variant, plan.id) *
             static_cast<double>(std::max<std::size_t>(plan.probe.stages.size(), 1));
  }
  std::map<std::string, std::int64_t> models = model_counts(variant);
  for (const train::ModelPlan& model : variant.models) {
    // Graded series are nothing but models on the way.
    if (!variant.collect.checkpoints && model.role != "graded") continue;
    // Of each role once.
    count += static_cast<double>(std::exchange(models[model.role], 0)) *
             static_cast<double>(model.train.checkpoints.size());
  }
  return count;
}

/// Each round of a search unlearns for some epochs and looks at all losses.
double search_seconds(const Variant& variant, const Rate& training) {
  if (variant.plan.hardest.is_null()) return 0;
  Options options(variant.plan.hardest, "hardest");
  const train::HardestSettings settings = train::read_hardest(options);
  const double rows = (settings.lower_epochs + kLook) *
                      static_cast<double>(variant.lab->split.part("train").size());
  return static_cast<double>(settings.rounds) * training.per_row * rows;
}

/// After a probe its accuracies are looked at.
double looking_seconds(const Variant& variant, const Rate& rate) {
  return rate.per_row * kLook *
         static_cast<double>(variant.lab->split.part("forget").size() +
                             variant.lab->split.part("test").size());
}

/// After training and after a method the accuracy on test is, which their probes cut short.
double cut_seconds(const Variant& variant, const Rate& rate) {
  return rate.per_row * kLook * unseen_rows(variant);
}

/// The grid runs before the variant itself, on models of its own.
Experiment tuning_of(const Experiment& experiment, const VariantPlan& variant) {
  const TuneSettings settings = read_tune(experiment.plan.tune, variant.recipe.path.string());
  return open(tune_plan(variant, settings, tune_list(variant.recipe, settings).points),
              experiment.device, Detail::outline, experiment.context);
}

/// Which probe of which variant is being made: the first, and then at most one every two seconds.
class ProbeProgress {
 public:
  explicit ProbeProgress(const Experiment& experiment)
      : variants_(experiment.variants), style_(experiment.context.progress()) {}
  ~ProbeProgress() {
    if (shown_) clear_progress(style_);
  }
  ProbeProgress(const ProbeProgress&) = delete;
  ProbeProgress& operator=(const ProbeProgress&) = delete;

  void show(const Variant& variant, const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    if (shown_ && now - last_ < std::chrono::seconds(2)) return;
    last_ = now;
    shown_ = true;
    const auto place = static_cast<double>(&variant - variants_.data());
    const auto all = static_cast<double>(variants_.size());
    show_progress(
        style_, place / all,
        fmt::format("timing variant {} of {} ({}): {}", place + 1, all, variant.plan.name, what));
  }

 private:
  const std::vector<Variant>& variants_;
  ProgressStyle style_;
  std::chrono::steady_clock::time_point last_;
  bool shown_ = false;
};

/// One estimate on its way: what was counted and what it comes to.
class Adding {
 public:
  Adding(const Experiment& experiment, pool::Store& store, std::size_t workers, Probes& probes)
      : experiment_(experiment), store_(store), probes_(probes), progress_(experiment) {
    result_.workers = std::max<std::size_t>(workers, 1);
  }

  TimeEstimate all() {
    for (const Variant& variant : experiment_.variants) {
      if (variant.plan.tune) add_tuning(variant);
      add_training(variant);
      add_methods(variant);
      add_probed(variant);
      add_collecting(variant);
      for (const AuditPlan& audit : variant.plan.audits) add_audit(variant, audit);
    }
    return result_;
  }

 private:
  void add_tuning(const Variant& variant) {
    // Points of a grid differ in options alone.
    const bool before = std::exchange(probes_.by_method, true);
    const TimeEstimate tuning =
        estimate(tuning_of(experiment_, variant.plan), store_, result_.workers, probes_);
    probes_.by_method = before;
    result_.training += tuning.training;
    result_.unlearning += tuning.unlearning;
    result_.collecting += tuning.collecting;
    result_.auditing += tuning.auditing;
    result_.jobs += tuning.jobs;
  }

  const Rate& training_rate(const Variant& variant, const train::ModelPlan& model) {
    const std::string key = training_key(variant, model);
    if (!probes_.training.contains(key)) {
      progress_.show(variant, "training of " + model.model.at("name").get<std::string>());
      probes_.training[key] = probes_.rated ? rated_training(variant, model)
                                            : probe_training(variant, model, result_.workers);
    }
    return probes_.training[key];
  }

  void add_training(const Variant& variant) {
    for (const PlanGroup& group : role_groups(variant, store_)) {
      check_interrupt();
      const train::ModelPlan& model = *group.model;
      const Rate& rate = training_rate(variant, model);
      if (&model == &variant.models.front()) result_.searching += search_seconds(variant, rate);
      const double left = counted_.add(group.kind, group.count) * (1 - group.present);
      const double images = model.train.epochs * static_cast<double>(model.rows.size());
      result_.training += left * (rate.seconds(images) + cut_seconds(variant, rate));
      result_.jobs += left / static_cast<double>(model.copies);
    }
  }

  void add_methods(const Variant& variant) {
    for (const PlanGroup& group : method_groups(variant, store_)) {
      check_interrupt();
      const unlearn::UnlearnPlan& plan = *group.run;
      const double left = counted_.add(group.kind, group.count, group.runs) * (1 - group.present);
      if (!(left > 0)) continue;
      if (!probes_.methods.contains(method_key(variant, plan, probes_.by_method))) {
        progress_.show(variant, "method " + plan.method.label);
      }
      double seconds = method_seconds_of(variant, plan, probes_);
      if (!variant.models.empty()) {
        seconds += cut_seconds(variant, training_rate(variant, variant.models.front()));
      }
      result_.unlearning += left * seconds;
      result_.jobs += left;
    }
  }

  void add_probed(const Variant& variant) {
    if (variant.probed.empty() || variant.models.empty()) return;
    const Rate& rate = training_rate(variant, variant.models.front());
    for (const unlearn::ProbePlan& plan : variant.probed) {
      const std::string name = counted_name(variant, "probed", plan.identity);
      if (!probed_.insert(name).second || store_.has(name)) continue;
      result_.unlearning += behind(variant, plan.id) *
                            (rate.seconds(plan.probe.images) + looking_seconds(variant, rate));
    }
  }

  void add_collecting(const Variant& variant) {
    if (!collected_.insert(evidence_key(variant)).second) return;
    const std::string key = collecting_key(variant);
    if (!probes_.collecting.contains(key)) {
      progress_.show(variant, "collecting");
      probes_.collecting[key] = collecting_rate(variant);
    }
    result_.collecting +=
        collected_models(variant) *
        probes_.collecting[key].seconds(collected_rows(variant, variant.collect.rows));
  }

  /// Tried, or a look at an image as a third of a training step where that takes long.
  Rate collecting_rate(const Variant& variant) {
    if (probes_.rated) return rated_collecting(variant);
    if (!variant.models.empty()) {
      const Rate& rate = training_rate(variant, variant.models.front());
      if (rate.per_row >= kSlowImage) return looking_rate(variant, kLook * rate.per_row);
    }
    return probe_collecting(variant);
  }

  void add_audit(const Variant& variant, const AuditPlan& audit) {
    check_interrupt();
    const std::string key = audit_key(variant, audit);
    if (!probes_.audits.contains(key)) {
      progress_.show(variant, "audit " + audit.name);
      probes_.audits[key] = probe_audit(variant, audit) / variant_models(variant);
    }
    result_.auditing +=
        probes_.audits[key] * variant_models(variant) * static_cast<double>(audit.attack_seeds);
  }

  const Experiment& experiment_;
  pool::Store& store_;
  Probes& probes_;
  ProbeProgress progress_;
  TimeEstimate result_;
  SharedCount counted_;
  std::set<std::string> collected_, probed_;
};

}  // namespace

TimeEstimate estimate(const Experiment& experiment, pool::Store& store, std::size_t workers,
                      Probes& probes) {
  return Adding(experiment, store, workers, probes).all();
}

std::string estimate_text(const TimeEstimate& estimate) {
  const auto workers = static_cast<double>(estimate.workers);
  return fmt::format(
      "about {} with {} worker{}: {}training {}, unlearning {}, collecting {}, auditing {}",
      duration_text(estimate.total()), estimate.workers, estimate.workers == 1 ? "" : "s",
      estimate.searching > 0 ? fmt::format("searching {}, ", duration_text(estimate.searching))
                             : "",
      duration_text(estimate.training / workers), duration_text(estimate.unlearning / workers),
      duration_text(estimate.collecting), duration_text(estimate.auditing));
}

std::string gpus_text(const TimeEstimate& estimate) {
  std::string text;
  for (const std::size_t gpus : {std::size_t{1}, std::size_t{8}, std::size_t{64}}) {
    text += fmt::format("on {:>2} GPU{} about {}\n", gpus, gpus == 1 ? " " : "s",
                        duration_text(estimate.total(gpus)));
  }
  return text;
}

}  // namespace vestige::experiment
