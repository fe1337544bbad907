// Probes of training and methods.
#include "vestige/experiment/probe.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "vestige/base/error.h"
#include "vestige/train/training.h"

namespace vestige::experiment {
namespace {

/// Rows of the larger probe; the smaller has half of them.
constexpr std::size_t kProbeRows = 512;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Rate line_through(double rows1, double seconds1, double rows2, double seconds2) {
  // Noise may turn the line: then everything counts as proportional.
  const double slope = (seconds2 - seconds1) / (rows2 - rows1);
  const double fixed = seconds1 - slope * rows1;
  if (slope <= 0 || fixed < 0) return {0, seconds2 / rows2};
  return {fixed, slope};
}

void make_quietly(const pool::Job& job) {
  job.make([](const pool::Report&) {});
}

/// The lab with a share of its training rows, forgotten ones in proportion.
std::shared_ptr<const train::Lab> smaller(const train::Lab& lab, std::size_t rows) {
  auto small = std::make_shared<train::Lab>(lab.dataset);
  small->recipe = lab.recipe;
  small->device = lab.device;
  small->split = lab.split;
  const double share = std::min(
      1.0, static_cast<double>(rows) / static_cast<double>(lab.split.part("train").size()));
  const auto cut = [&](const char* name) {
    auto& part = small->split.parts[name];
    const auto kept = static_cast<std::size_t>(share * static_cast<double>(part.size()));
    part.resize(std::min(part.size(), std::max<std::size_t>(kept, 8)));
  };
  cut("retain");
  cut("forget");
  auto& train = small->split.parts["train"];
  train = small->split.part("retain");
  train.insert(train.end(), small->split.part("forget").begin(), small->split.part("forget").end());
  std::sort(train.begin(), train.end());
  return small;
}

/// A pool that is gone afterwards.
struct TemporaryStore {
  TemporaryStore()
      : folder(std::filesystem::temp_directory_path() /
               fmt::format("vestige-probe-{}", ::getpid())),
        store(std::make_shared<pool::Store>(folder)) {}
  ~TemporaryStore() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;

  std::filesystem::path folder;
  std::shared_ptr<pool::Store> store;
};

/// Seconds of one run of a method on so many rows.
double method_seconds(const Arm& arm, const unlearn::UnlearnPlan& method, std::size_t rows) {
  const auto lab = smaller(*arm.lab, rows);
  TemporaryStore temporary;
  std::vector<train::ModelPlan> models = train::plan(*lab);
  std::erase_if(models, [&](const train::ModelPlan& model) {
    return model.role != "original" || model.index != method.original;
  });
  require(!models.empty(), "{}: unlearning needs an original: give [pool] original 1 or more",
          lab->recipe.path.string());
  train::ModelPlan quick = models.front();
  quick.train.epochs = 1;
  quick.copies = 1;
  const auto product = train::training_jobs(lab, {quick}).front().make([](const pool::Report&) {});
  temporary.store->put(models.front().identity, product.front());
  unlearn::UnlearnPlan plan = method;
  plan.identity.what["original"] = models.front().identity.name();
  const auto jobs = unlearn::unlearning_jobs(lab, models, {plan}, temporary.store);
  return seconds_of([&] { make_quietly(jobs.front()); });
}

}  // namespace

Rate probe_training(const Arm& arm, const train::ModelPlan& model) {
  const auto copies = static_cast<std::size_t>(model.copies);
  const auto timed = [&](std::size_t rows) {
    train::ModelPlan quick = model;
    quick.rows.resize(std::min(quick.rows.size(), rows));
    quick.train.epochs = 2;
    quick.train.until_accuracy = 0;
    const std::vector<train::ModelPlan> group(copies, quick);
    const auto jobs = train::training_jobs(arm.lab, group);
    return seconds_of([&] { make_quietly(jobs.front()); }) / static_cast<double>(copies);
  };
  timed(kProbeRows / 8);  // the first run pays for the engine's start
  const double small = timed(kProbeRows / 2);
  const double large = timed(2 * kProbeRows);
  const auto used = [&](std::size_t rows) {
    return 2 * static_cast<double>(std::min(model.rows.size(), rows));
  };
  if (used(2 * kProbeRows) <= used(kProbeRows / 2)) return {0, large / used(2 * kProbeRows)};
  return line_through(used(kProbeRows / 2), small, used(2 * kProbeRows), large);
}

Rate probe_method(const Arm& arm, const unlearn::UnlearnPlan& method) {
  const std::size_t rows = std::min(arm.lab->split.part("train").size(), kProbeRows);
  const double small = method_seconds(arm, method, rows / 2);
  const double large = method_seconds(arm, method, rows);
  return line_through(static_cast<double>(rows) / 2, small, static_cast<double>(rows), large);
}

}  // namespace vestige::experiment
