// Training from scratch: one phase of cross-entropy, checkpoints on the way, facts at the end.
#include "vestige/train/training.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/denoising.h"
#include "vestige/train/engine.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/from_scratch.h"
#include "vestige/train/loop.h"
#include "vestige/train/memory.h"
#include "vestige/train/update_log.h"
#include "vestige/train/workshop.h"

namespace vestige::train {
namespace {

using ReportFunction = std::function<void(const pool::Report&)>;

/// Trains the models of one graph.
class Trainer {
 public:
  Trainer(Workshop& workshop, std::span<const ModelPlan> plans, const pool::Store* store)
      : workshop_(workshop), plans_(plans), store_(store), settings_(plans[0].train) {
    for (const ModelPlan& plan : plans) {
      rows_.push_back(plan.rows.list());
      seeds_.push_back(plan.seed);
    }
  }

  std::vector<pool::Product> run(const ReportFunction& report) {
    prepare_engine(workshop_.lab().device, settings_);
    network_ = workshop_.network(plans_[0].model, static_cast<std::int64_t>(plans_.size()));
    for (std::size_t copy = 0; copy < plans_.size(); ++copy) {
      const auto place = static_cast<std::int64_t>(copy);
      const std::string& start = plans_[copy].start;
      if (start.empty()) {
        models::initialise(*network_, place, seeds_[copy]);
      } else {
        models::load(*network_, place, store_->read(start, "model.safetensors"), start);
      }
    }
    products_.resize(plans_.size());
    Watch watch{report, 0, settings_.epochs * static_cast<double>(rows_[0].size() * plans_.size())};
    if (settings_.history) watch.after_epoch = [this](models::Network&) { look(); };
    const Cost cost = run_phase(*network_, workshop_.samples(), rows_, seeds_, phase(), watch);
    finish(cost);
    return std::move(products_);
  }

 private:
  Phase phase() {
    const Samples& samples = workshop_.samples();
    Phase phase = phase_of(settings_, samples, rows_);
    if (settings_.log_forget_updates) {
      log_ = std::make_unique<UpdateLog>(*network_, samples, workshop_.lab().split.part("forget"));
      log_->attach(phase);
    }
    phase.after_step = [this, inner = phase.after_step](const Step& step) {
      if (inner) inner(step);
      keep_checkpoints(step);
    };
    phase.after_epoch = [this](const Step& step, double accuracy) {
      return after_epoch(step, accuracy);
    };
    return phase;
  }

  void keep_checkpoints(const Step& step) {
    for (const double fraction : settings_.checkpoints) {
      const auto at =
          std::max<std::int64_t>(1, std::llround(fraction * static_cast<double>(step.total_steps)));
      if (step.step + 1 != at) continue;
      for (std::size_t copy = 0; copy < plans_.size(); ++copy) {
        products_[copy].files[fmt::format("checkpoint-{:g}.safetensors", fraction)] =
            models::save(*network_, static_cast<std::int64_t>(copy));
      }
    }
  }

  bool after_epoch(const Step& step, double shown_accuracy) {
    if (settings_.select == "best_validation") {
      const double accuracy =
          train::accuracy(*network_, workshop_.samples(), workshop_.lab().split.part("validation"));
      network_->train();
      if (best_.empty() || accuracy > best_accuracy_) {
        best_accuracy_ = accuracy;
        best_epoch_ = step.epoch + 1;
        best_ = models::save(*network_, 0);
      }
    }
    // The running accuracy of the epoch lags behind, so the rows are looked at once it comes near.
    if (settings_.until_accuracy > 0 && shown_accuracy > settings_.until_accuracy - 0.02) {
      const double accuracy = train::accuracy(*network_, workshop_.samples(), rows_[0]);
      network_->train();
      return accuracy < settings_.until_accuracy;
    }
    return true;
  }

  /// Training and validation rows after an epoch (test rows where no validation part was made), one
  /// history per copy.
  void look() {
    const data::Split& split = workshop_.lab().split;
    const char* held = split.part("validation").empty() ? "test" : "validation";
    const std::vector<Rows> held_rows(plans_.size(), split.part(held));
    histories_.resize(plans_.size());
    const auto add = [&](const char* part, const std::vector<Rows>& rows) {
      const std::vector<Fit> found = fits(*network_, workshop_.samples(), rows);
      for (std::size_t copy = 0; copy < found.size(); ++copy) {
        Json& own = histories_[copy][part];
        own["loss"].push_back(json_number(found[copy].loss));
        own["accuracy"].push_back(json_number(found[copy].accuracy));
      }
    };
    add("train", rows_);
    add(held, held_rows);
  }

  void finish(const Cost& cost) {
    const Samples& samples = workshop_.samples();
    if (!best_.empty()) models::load(*network_, 0, best_, "the best epoch");
    try_algorithms(false);  // rows are looked at once; the next model begins with prepare_engine
    const auto& test = workshop_.lab().split.part("test");
    const std::vector<double> on_test = accuracies(*network_, samples, test);
    const std::vector<double> on_train = accuracies(*network_, samples, rows_);
    for (std::size_t copy = 0; copy < plans_.size(); ++copy) {
      const auto place = static_cast<std::int64_t>(copy);
      pool::Product& product = products_[copy];
      product.files["model.safetensors"] = models::save(*network_, place);
      // Companions share the seconds; each copy is charged its part.
      product.facts = {
          {"accuracy",
           {{"train", json_number(on_train[copy])}, {"test", json_number(on_test[copy])}}},
          {"seconds", cost.seconds / static_cast<double>(plans_.size())},
          {"steps", cost.steps},
          {"samples", cost.samples},
          {"parameters", models::parameter_count(*network_)},
          {"engine", engine_name()}};
      if (!best_.empty()) product.facts["best_epoch"] = best_epoch_;
      if (settings_.history && !histories_.empty()) product.facts["history"] = histories_[copy];
      if (plans_.size() == 1 && models::as_denoiser(*network_) != nullptr) {
        product.facts["loss"] = loss_facts(*models::as_denoiser(*network_), samples,
                                           {{"train", rows_[copy]}, {"test", test}});
      }
      if (log_) product.files["forget_updates.safetensors"] = log_->bytes();
    }
  }

  Workshop& workshop_;
  std::span<const ModelPlan> plans_;
  const pool::Store* store_;  ///< only where a model begins with another's weights
  const TrainSettings& settings_;
  std::vector<Rows> rows_;
  std::vector<std::uint64_t> seeds_;
  models::NetworkPointer network_;
  std::vector<pool::Product> products_;
  std::unique_ptr<UpdateLog> log_;
  std::vector<Json> histories_;  ///< of each copy: part -> loss, accuracy -> by epoch
  std::string best_;
  double best_accuracy_ = 0;
  std::int64_t best_epoch_ = 0;
};

/// What would fail in every job is said once, before any work: device and architectures.
void check(Workshop& workshop, const std::vector<ModelPlan>& plans) {
  if (!plans.empty()) prepare_engine(workshop.lab().device, plans[0].train);
  std::vector<Json> checked;
  for (const ModelPlan& plan : plans) {
    if (std::find(checked.begin(), checked.end(), plan.model) != checked.end()) continue;
    const models::NetworkPointer network = workshop.network(plan.model);
    const TrainSettings& train = plan.train;
    require(models::as_denoiser(*network) == nullptr ||
                (train.until_accuracy == 0 && train.select == "last" &&
                 train.class_weights == "none" && !train.log_forget_updates),
            "{}: {} classifies nothing: leave until_accuracy, select, class_weights and "
            "log_forget_updates out of [train]",
            workshop.lab().recipe.path.string(), plan.model.at("name").get<std::string>());
    checked.push_back(plan.model);
  }
}

}  // namespace

std::vector<pool::Job> training_jobs(std::shared_ptr<const Lab> lab,
                                     const std::vector<ModelPlan>& plans,
                                     std::shared_ptr<pool::Store> store) {
  auto workshop = std::make_shared<Workshop>(lab);
  const bool starts = std::any_of(plans.begin(), plans.end(),
                                  [](const ModelPlan& plan) { return !plan.start.empty(); });
  if (!store && starts) store = std::make_shared<pool::Store>(lab->recipe.pool.folder);
  check(*workshop, plans);
  std::vector<pool::Job> jobs;
  for (std::size_t first = 0; first < plans.size();) {
    const auto size = static_cast<std::size_t>(plans[first].copies);
    std::vector<ModelPlan> group(plans.begin() + static_cast<std::ptrdiff_t>(first),
                                 plans.begin() + static_cast<std::ptrdiff_t>(first + size));
    pool::Job job;
    for (const ModelPlan& plan : group) {
      job.models.push_back(plan.identity);
      job.images += plan.train.epochs * static_cast<double>(plan.rows.size());
      if (!plan.start.empty()) job.needs.push_back(plan.start);
    }
    job.make_smaller = [workshop, store, group = std::move(group)](const ReportFunction& report,
                                                                   std::size_t graph) {
      const auto make = [&](std::size_t begin, std::size_t count) {
        return Trainer(*workshop, std::span(group).subspan(begin, count), store.get()).run(report);
      };
      return make_within_memory(group.size(), make, graph);
    };
    job.make = [smaller = job.make_smaller, size](const ReportFunction& report) {
      return smaller(report, size);
    };
    jobs.push_back(std::move(job));
    first += size;
  }
  return jobs;
}

}  // namespace vestige::train
