// Adding up probes.
#include "vestige/experiment/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/experiment/measured_rates.h"
#include "vestige/experiment/tune.h"
#include "vestige/train/hardest.h"

namespace vestige::experiment {
namespace {

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

/// The epochs of a method's options; 1 where it has none.
double epochs_of(const unlearn::UnlearnPlan& plan) {
  const Json& options = plan.method.options;
  const bool has = options.contains("epochs") && options["epochs"].is_number();
  const double epochs = has ? options["epochs"].get<double>() : 1;
  return epochs > 0 ? epochs : 1;
}

/// Where training one model takes longer than this, in seconds, methods are not tried on the arm's
/// own network: eight of them on a ResNet-18 take minutes on two cores.
constexpr double kLongTraining = 60;

/// A number as far as it matters to how long something takes: repeats and classes in turn have
/// nearly the same sizes.
std::string one_digit(double number) { return fmt::format("{:.0e}", number); }

/// What decides how many images a method looks at.
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

/// One run of a method: tried, or counted in images of training where training takes long.
Rate method_rate(const Arm& arm, const unlearn::UnlearnPlan& plan, Probes& probes) {
  if (probes.rated) return rated_method(arm, plan);
  if (arm.models.empty()) return probe_method(arm, plan);
  const train::ModelPlan& model = arm.models.front();
  const auto training = probes.training.find(training_key(arm, model));
  if (training == probes.training.end()) return probe_method(arm, plan);
  const double images = model.train.epochs * static_cast<double>(model.rows.size());
  if (training->second.seconds(images) <= kLongTraining) return probe_method(arm, plan);
  const std::string key = images_key(arm, plan);
  if (!probes.images.contains(key)) probes.images[key] = count_images(arm, plan);
  const Rate& counted = probes.images[key];
  return {counted.fixed * training->second.per_row, counted.per_row * training->second.per_row};
}

/// Seconds of one run on the whole arm, from a probe; 0 where the probe fails, which is noted.
double method_seconds_of(const Arm& arm, const unlearn::UnlearnPlan& plan, Probes& probes) {
  const std::string key = method_key(arm, plan, probes.by_method);
  if (probes.impossible.contains(plan.method.name)) return 0;
  if (!probes.methods.contains(key)) {
    try {
      probes.methods[key] = method_rate(arm, plan, probes);
    } catch (const InputError& error) {
      probes.impossible[plan.method.name] = error.what();
      return 0;
    }
    probes.epochs[key] = epochs_of(plan);
  }
  const double share = probes.by_method ? epochs_of(plan) / probes.epochs[key] : 1;
  return share *
         probes.methods[key].seconds(static_cast<double>(arm.lab->split.part("train").size()));
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
                    arm.unlearned.size(),
                    arm.lab->data.classes};
  return key.dump();
}

/// Arms with the same models, rows and settings share their evidence.
std::string evidence_key(const Arm& arm) {
  Json key = {arm.lab->split.sha256, arm.plan.recipe.section("collect").all()};
  for (const train::ModelPlan& model : arm.models) {
    key.push_back(counted_name(arm, model.role, model.identity));
  }
  for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
    key.push_back(counted_name(arm, "unlearned", plan.identity));
  }
  return key.dump();
}

double arm_models(const Arm& arm) {
  return static_cast<double>(arm.models.size() + arm.unlearned.size() + 1);
}

/// What is collected, checkpoints among it.
double collected_models(const Arm& arm) {
  double count = arm_models(arm) - 1;
  for (const unlearn::ProbePlan& plan : arm.probed) {
    count += static_cast<double>(std::max<std::size_t>(plan.probe.stages.size(), 1));
  }
  if (!arm.collect.checkpoints) return count;
  for (const train::ModelPlan& model : arm.models) {
    count += static_cast<double>(model.train.checkpoints.size());
  }
  return count;
}

std::string collecting_key(const Arm& arm) {
  Json key = {arm.lab->data.name, arm.lab->data.shape, arm.plan.recipe.section("collect").all(),
              one_digit(collected_rows(arm, arm.collect.rows))};
  if (!arm.models.empty()) key.push_back(arm.models.front().identity.what.at("model"));
  return key.dump();
}

/// Each round of a search unlearns for some epochs and looks at all losses.
double search_seconds(const Arm& arm, const Rate& training) {
  if (arm.plan.hardest.is_null()) return 0;
  Options options(arm.plan.hardest, "hardest");
  const train::HardestSettings settings = train::read_hardest(options);
  const double rows =
      (settings.lower_epochs + kLook) * static_cast<double>(arm.lab->split.part("train").size());
  return static_cast<double>(settings.rounds) * training.per_row * rows;
}

/// After a probe its accuracies are looked at.
double looking_seconds(const Arm& arm, const Rate& rate) {
  return rate.per_row * kLook *
         static_cast<double>(arm.lab->split.part("forget").size() +
                             arm.lab->split.part("test").size());
}

/// After training and after a method the accuracy on test is, which their probes cut short.
double cut_seconds(const Arm& arm, const Rate& rate) {
  return rate.per_row * kLook * unseen_rows(arm);
}

/// The grid runs before the arm itself, on models of its own.
Experiment tuning_of(const Experiment& experiment, const ArmPlan& arm) {
  const TuneSettings settings = read_tune(experiment.plan.tune, arm.recipe.path.string());
  return open(tune_plan(arm, settings, tune_list(arm.recipe, settings).points), experiment.device);
}

/// Which probe of which arm is being made: the first, and then at most one every two seconds.
class ProbeProgress {
 public:
  explicit ProbeProgress(const Experiment& experiment) : arms_(experiment.arms) {}
  ~ProbeProgress() {
    if (shown_) clear_progress(style_);
  }
  ProbeProgress(const ProbeProgress&) = delete;
  ProbeProgress& operator=(const ProbeProgress&) = delete;

  void show(const Arm& arm, const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    if (shown_ && now - last_ < std::chrono::seconds(2)) return;
    last_ = now;
    shown_ = true;
    const auto place = static_cast<double>(&arm - arms_.data());
    const auto all = static_cast<double>(arms_.size());
    show_progress(
        style_, place / all,
        fmt::format("probing arm {} of {} ({}): {}", place + 1, all, arm.plan.name, what));
  }

 private:
  const std::vector<Arm>& arms_;
  ProgressStyle style_ = progress_style();
  std::chrono::steady_clock::time_point last_;
  bool shown_ = false;
};

std::int64_t largest(const ExperimentPlan& plan, bool models) {
  std::int64_t most = 1;
  std::map<std::string, std::int64_t> repeats;
  for (const ArmPlan& arm : plan.arms) {
    const train::PoolSettings& pool = arm.recipe.pool;
    if (models) most = std::max({most, pool.original, pool.retrained});
    if (!models) most = std::max(most, ++repeats[arm.name]);
  }
  return most;
}

}  // namespace

Estimate estimate(const Experiment& experiment, pool::Store& store, std::size_t workers,
                  Probes& probes) {
  Estimate result;
  result.workers = std::max<std::size_t>(workers, 1);
  std::set<std::string> counted, collected;
  ProbeProgress progress(experiment);
  for (const Arm& arm : experiment.arms) {
    if (arm.plan.tune) {
      // Points of a grid differ in options alone.
      const bool before = std::exchange(probes.by_method, true);
      const Estimate tuning = estimate(tuning_of(experiment, arm.plan), store, workers, probes);
      probes.by_method = before;
      result.training += tuning.training;
      result.unlearning += tuning.unlearning;
      result.collecting += tuning.collecting;
      result.auditing += tuning.auditing;
      result.jobs += tuning.jobs;
    }
    for (const train::ModelPlan& model : arm.models) {
      check_interrupt();
      const std::string key = training_key(arm, model);
      if (!probes.training.contains(key)) {
        progress.show(arm, "training of " + model.model.at("name").get<std::string>());
        probes.training[key] =
            probes.rated ? rated_training(arm, model) : probe_training(arm, model, result.workers);
      }
      const Rate& rate = probes.training[key];
      if (&model == &arm.models.front()) result.searching += search_seconds(arm, rate);
      const std::string name = counted_name(arm, model.role, model.identity);
      if (!counted.insert(name).second || store.has(name)) continue;
      result.training += rate.seconds(model.train.epochs * static_cast<double>(model.rows.size())) +
                         cut_seconds(arm, rate);
      result.jobs += 1 / static_cast<double>(model.copies);
    }
    for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
      check_interrupt();
      const std::string name = counted_name(arm, "unlearned", plan.identity);
      if (!counted.insert(name).second || store.has(name)) continue;
      if (!probes.methods.contains(method_key(arm, plan, probes.by_method))) {
        progress.show(arm, "method " + plan.method.label);
      }
      result.unlearning += method_seconds_of(arm, plan, probes);
      if (!arm.models.empty()) {
        result.unlearning +=
            cut_seconds(arm, probes.training[training_key(arm, arm.models.front())]);
      }
      result.jobs += 1;
    }
    if (!arm.probed.empty() && !arm.models.empty()) {
      const Rate& rate = probes.training[training_key(arm, arm.models.front())];
      for (const unlearn::ProbePlan& plan : arm.probed) {
        const std::string name = counted_name(arm, "probed", plan.identity);
        if (!counted.insert(name).second || store.has(name)) continue;
        result.unlearning += rate.seconds(plan.probe.images) + looking_seconds(arm, rate);
      }
    }
    if (collected.insert(evidence_key(arm)).second) {
      const std::string key = collecting_key(arm);
      if (!probes.collecting.contains(key)) {
        progress.show(arm, "collecting");
        probes.collecting[key] = probes.rated ? rated_collecting(arm) : probe_collecting(arm);
      }
      result.collecting += collected_models(arm) *
                           probes.collecting[key].seconds(collected_rows(arm, arm.collect.rows));
    }
    for (const AuditPlan& audit : arm.plan.audits) {
      check_interrupt();
      const std::string key = audit_key(arm, audit);
      if (!probes.audits.contains(key)) {
        progress.show(arm, "audit " + audit.name);
        probes.audits[key] = probe_audit(arm, audit) / arm_models(arm);
      }
      result.auditing +=
          probes.audits[key] * arm_models(arm) * static_cast<double>(audit.attack_seeds);
    }
  }
  return result;
}

std::string estimate_text(const Estimate& estimate) {
  const auto workers = static_cast<double>(estimate.workers);
  return fmt::format(
      "about {} with {} worker{}: {}training {}, unlearning {}, collecting {}, auditing {}",
      duration_text(estimate.total()), estimate.workers, estimate.workers == 1 ? "" : "s",
      estimate.searching > 0 ? fmt::format("searching {}, ", duration_text(estimate.searching))
                             : "",
      duration_text(estimate.training / workers), duration_text(estimate.unlearning / workers),
      duration_text(estimate.collecting), duration_text(estimate.auditing));
}

std::string gpus_text(const Estimate& estimate) {
  std::string text;
  for (const std::size_t gpus : {std::size_t{1}, std::size_t{8}, std::size_t{64}}) {
    text += fmt::format("on {:>2} GPU{} about {}\n", gpus, gpus == 1 ? " " : "s",
                        duration_text(estimate.total(gpus)));
  }
  return text;
}

std::optional<Caps> largest_fit(std::int64_t models, std::int64_t repeats,
                                const std::function<Fit(const Caps&)>& look) {
  if (look({models, repeats}) == Fit::fits) return Caps{models, repeats};
  std::optional<Caps> best;
  for (std::int64_t least = 1, most = models; least <= most;) {
    const std::int64_t middle = least + (most - least) / 2;
    const Fit fit = look({middle, 1});
    if (fit == Fit::fits) best = Caps{middle, 1};
    if (fit == Fit::too_long) {
      most = middle - 1;
    } else {
      least = middle + 1;
    }
  }
  if (!best) return best;
  for (std::int64_t least = 2, most = repeats; least <= most;) {
    const std::int64_t middle = least + (most - least) / 2;
    if (look({best->models, middle}) == Fit::fits) {
      best->repeats = middle;
      least = middle + 1;
    } else {
      most = middle - 1;
    }
  }
  return best;
}

Caps fit_budget(const std::filesystem::path& path, PlanRequest request, const std::string& device,
                double seconds, std::size_t workers, Probes& probes) {
  request.caps = {};
  const ExperimentPlan whole = read_plan(path, request);
  const std::int64_t models = largest(whole, true);
  const std::int64_t repeats = largest(whole, false);
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](const Caps& caps) {
    request.caps = caps;
    try {
      const Experiment experiment = open(read_plan(path, request), device);
      pool::Store store(experiment.arms.front().plan.recipe.pool.folder);
      const double total = estimate(experiment, store, workers, probes).total();
      least = std::min(least, total);
      return total <= seconds ? Fit::fits : Fit::too_long;
    } catch (const InputError&) {
      // What is wrong at full size is not the budget's fault.
      if (caps.models >= models && caps.repeats >= repeats) throw;
      return Fit::too_small;
    }
  };
  const auto found = largest_fit(models, repeats, look);
  require(found.has_value(),
          "--budget {}: the smallest form of {} takes about {}: give more, or a smaller recipe",
          duration_text(seconds), path.string(), duration_text(least));
  return *found;
}

double parse_duration(const std::string& text) {
  double total = 0;
  std::size_t place = 0;
  while (place < text.size()) {
    std::size_t used = 0;
    double number = 0;
    try {
      number = std::stod(text.substr(place), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    require(used > 0 && number >= 0 && std::isfinite(number),
            "'{}' is no duration: write 90s, 10m or 1h30m", text);
    place += used;
    const char unit = place < text.size() ? text[place++] : 's';
    require(unit == 's' || unit == 'm' || unit == 'h',
            "'{}' is no duration: write 90s, 10m or 1h30m", text);
    total += number * (unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
  }
  require(total > 0, "'{}' is no duration: write 90s, 10m or 1h30m", text);
  return total;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace vestige::experiment
