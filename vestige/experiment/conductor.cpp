// The course of an experiment; what variants need before it is in conductor_variants.cpp.
#include "vestige/experiment/conductor.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/experiment/estimates/budget.h"
#include "vestige/experiment/estimates/duration.h"
#include "vestige/experiment/estimates/measured_rates.h"
#include "vestige/experiment/failures.h"
#include "vestige/experiment/results.h"
#include "vestige/experiment/tune.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/report/terminal/study_brief.h"
#include "vestige/report/terminal/study_text.h"
#include "vestige/train/engine.h"
#include "vestige/words/words.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

/// Takes away the folders that looking into a pool has made, where they are still empty.
class EmptyFolders {
 public:
  explicit EmptyFolders(const fs::path& folder) {
    for (fs::path path = fs::absolute(folder); !fs::exists(path); path = path.parent_path()) {
      made_.push_back(path);
    }
  }
  ~EmptyFolders() {
    std::error_code not_empty;
    for (const fs::path& path : made_) fs::remove(path, not_empty);
  }
  EmptyFolders(const EmptyFolders&) = delete;
  EmptyFolders& operator=(const EmptyFolders&) = delete;

 private:
  std::vector<fs::path> made_;
};

/// Methods that the estimate leaves out because they fail at once.
std::string impossible_text(const Probes& probes) {
  std::string text;
  for (const auto& [method, why] : probes.impossible) {
    text += fmt::format("{} failed on a few rows and is not in the estimate: {}\n", method, why);
  }
  return text;
}

/// Processes that the crew will have for models of an experiment's first variant.
std::size_t workers_for(const Crew& crew, const VariantPlan& variant) {
  return crew.workers(variant.recipe.train.threads);
}

}  // namespace

Conductor::Conductor(ConductorSettings settings, Crew crew)
    : settings_(std::move(settings)), crew_(std::move(crew)) {}

ExperimentPlan Conductor::plan() const {
  return settings_.recipe.is_null()
             ? read_plan(settings_.path, settings_.request)
             : make_plan(settings_.recipe, settings_.path, settings_.request);
}

fs::path Conductor::folder(const ExperimentPlan& plan) const {
  return settings_.out.empty() ? fs::path("out") / fmt::format("{}-{}", plan.name, plan.size)
                               : fs::path(settings_.out);
}

void Conductor::fit(double seconds, Probes& probes) {
  const VariantPlan first = plan().variants.front();
  const EmptyFolders folders(first.recipe.pool.folder);
  Caps& caps = settings_.request.caps;
  caps = fit_budget(settings_.path, settings_.request, settings_.device, seconds,
                    workers_for(crew_, first), probes, crew_.context);
  if (leads()) {
    fmt::print("the budget of {} allows N = {} models and E = {} repeats\n", duration_text(seconds),
               caps.models, caps.repeats);
  }
}

TimeEstimate Conductor::look_ahead(const Experiment& experiment, Probes& probes) {
  const VariantPlan& first = experiment.variants.front().plan;
  const EmptyFolders folders(first.recipe.pool.folder);
  pool::Store store(first.recipe.pool.folder);
  for (const std::string& missing : experiment.plan.stand_ins) {
    fmt::print("not at hand, planned with a stand-in of the same size: {}\n", missing);
  }
  fmt::print("{}", plan_text(experiment, store));
  std::fflush(stdout);
  probes.rated = !train::has_device(settings_.device);
  TimeEstimate found = estimate(experiment, store, workers_for(crew_, first), probes);
  if (probes.rated) {
    fmt::print("there is no CUDA device here: training by rates measured on an {}\n",
               kMeasuredDevice);
  }
  fmt::print("{}\n{}", estimate_text(found), impossible_text(probes));
  return found;
}

void Conductor::dry_run(Probes& probes) {
  const TimeEstimate found =
      look_ahead(open(plan(), settings_.device, Detail::outline, crew_.context), probes);
  if (settings_.device == "cuda") fmt::print("{}", gpus_text(found));
}

SlurmJob Conductor::slurm(std::size_t elements, Probes& probes) {
  const Experiment experiment = open(plan(), settings_.device, Detail::outline, crew_.context);
  const TimeEstimate found = look_ahead(experiment, probes);
  SlurmJob job;
  job.name = fmt::format("{}-{}", experiment.plan.name, experiment.plan.size);
  job.folder = fs::current_path();
  job.elements = elements > 0 ? elements : array_size(found);
  job.seconds = found.total(found.workers * job.elements);
  job.comments = {
      fmt::format("{} ({}) as an array of {}: submit it with sbatch, again if ever it stops.",
                  experiment.plan.name, experiment.plan.size, job.elements),
      fmt::format("Estimated: {}{}.", estimate_text(found),
                  probes.rated ? fmt::format(", by rates measured on an {}", kMeasuredDevice) : ""),
      fmt::format(
          "One of {} elements: about {}; whichever leads collects, audits and writes the results.",
          job.elements, duration_text(job.seconds))};
  return job;
}

void Conductor::dry_run_tune(const VariantPlan& variant, const Json& table, Probes& probes) {
  const TuneSettings settings = read_tune(table, variant.recipe.path.string());
  const TuneList list = tune_list(variant.recipe, settings);
  const Experiment experiment = open(tune_plan(variant, settings, list.points), settings_.device,
                                     Detail::outline, crew_.context);
  const EmptyFolders folders(variant.recipe.pool.folder);
  pool::Store store(variant.recipe.pool.folder);
  fmt::print("{}\n{}", tune_plan_text(list, settings), plan_text(experiment, store));
  std::fflush(stdout);
  probes.by_method = true;
  const TimeEstimate found = estimate(experiment, store, workers_for(crew_, variant), probes);
  fmt::print("{}\n{}", estimate_text(found), impossible_text(probes));
}

void Conductor::open_store(const VariantPlan& variant) {
  const fs::path& pool = variant.recipe.pool.folder;
  if (!store_ || store_->folder() != pool) store_ = std::make_shared<pool::Store>(pool);
}

int Conductor::work(const VariantPlan& variant, const std::vector<pool::Job>& jobs) {
  return crew_.work_off(*store_, jobs, variant.recipe.train.threads);
}

std::vector<VariantAudit> Conductor::measure_all(const Experiment& experiment,
                                                 const fs::path& folder,
                                                 const std::string& started) {
  const VariantPlan& first = experiment.variants.front().plan;
  open_store(first);
  const int code = work(first, jobs(experiment, store_));
  if (code != 0) exit_code_ = code;
  if (crew_.part == CrewPart::worker || !take_lead(true)) return {};
  MeasureOptions options{.out = folder, .command = settings_.command};
  // A page costs a second of an experiment of many audits: not after every one of them.
  constexpr std::chrono::seconds kBetweenPages(20);
  auto last = std::chrono::steady_clock::now() - kBetweenPages;
  if (!started.empty()) {
    options.after_audit = [&](const std::vector<VariantAudit>& audits) {
      if (audits.back().reused || std::chrono::steady_clock::now() - last < kBetweenPages) return;
      write_page_so_far(experiment, audits, folder,
                        {settings_.command, started, 0, crew_.context.threads()});
      last = std::chrono::steady_clock::now();
    };
  }
  return measure(experiment, *store_, options);
}

void Conductor::say_failures(const Experiment& experiment) {
  for (const result::FailedRuns& runs : failed_runs(experiment, *store_)) {
    fmt::print(stderr, "vestige: {}\n", words::text(result::failed_runs_reason(runs)));
  }
}

int Conductor::run() {
  const auto start = std::chrono::steady_clock::now();
  const std::string started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  ExperimentPlan plan = this->plan();
  const fs::path folder = this->folder(plan);
  Experiment experiment = open(plan, settings_.device, Detail::whole, crew_.context);
  results_.emplace(folder, bench_identity(experiment.plan, settings_.device));
  if (leads()) results_->claim(settings_.force);
  take_lead(false);
  const bool tunes = std::any_of(plan.variants.begin(), plan.variants.end(),
                                 [](const VariantPlan& variant) { return variant.tune; });
  const bool searches =
      std::any_of(plan.variants.begin(), plan.variants.end(),
                  [](const VariantPlan& variant) { return !variant.hardest.is_null(); });
  // Tuning has a split of its own, in which the list of a search would mean nothing.
  if (tunes && !tune_variants(plan, folder)) return exit_code_;
  if (searches && !search_variants(plan, folder / "hardest")) return exit_code_;
  if (searches || tunes)
    experiment = open(std::move(plan), settings_.device, Detail::whole, crew_.context);
  if (talks()) {
    pool::Store store(experiment.variants.front().plan.recipe.pool.folder);
    fmt::print("{}\n", plan_text(experiment, store));
    std::fflush(stdout);
  }
  const std::vector<VariantAudit> audits = measure_all(experiment, folder, started);
  if (!leads()) return exit_code_;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (settings_.quiet || settings_.print_json) say_failures(experiment);
  const WrittenResults written = crew_.context.run([&] {
    return write_results(experiment, audits, *store_, folder,
                         {settings_.command, started, seconds, crew_.context.threads()});
  });
  if (settings_.print_json) {
    fmt::print("{}", written.json);
  } else {
    const std::size_t width = report::terminal_style().width;
    fmt::print("{}\n", settings_.full ? report::study_text(written.study, true, width)
                                      : report::study_brief(written.study, width));
    fmt::print("\n{}", written.brief);
    fmt::print("took {}; open {}\n", duration_text(seconds), (folder / "report.html").string());
  }
  return exit_code_;
}

}  // namespace vestige::experiment
