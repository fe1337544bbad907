// Running experiments.
#include "cli/bench_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/base/sha256.h"
#include "vestige/experiment/document.h"
#include "vestige/experiment/tune.h"
#include "vestige/experiment/worst_case.h"
#include "vestige/report/html.h"
#include "vestige/report/results_json.h"
#include "vestige/report/spec_files.h"
#include "vestige/report/study_brief.h"
#include "vestige/report/study_tables.h"
#include "vestige/report/study_text.h"
#include "vestige/study/summary.h"
#include "vestige/train/training.h"

namespace vestige::cli {
namespace {

namespace fs = std::filesystem;

/// Refuses a folder with something else in it before the work, not after it.
void require_own(const fs::path& folder) {
  require(!fs::exists(folder) || fs::is_empty(folder) || fs::exists(folder / "bench.key"),
          "{} is not the folder of an experiment and is left alone: give another --out",
          folder.string());
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, "cannot make {}: {}", folder.string(), error.message());
  write_file(folder / "bench.key", "vestige bench\n");
}

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

void write_all(const fs::path& folder, const std::vector<report::TableFile>& tables) {
  FileSet files(folder, true);
  for (const report::TableFile& table : tables) files.add(table.name, table.text);
  files.commit();
}

}  // namespace

BenchRun::BenchRun(const LabOptions& lab, Context& context) : lab_(lab), context_(context) {
  if (lab.quiet) set_progress_style(ProgressStyle::quiet);
  request.settings = lab.settings;
  if (lab.threads > 0) request.settings.push_back(fmt::format("train.threads={}", lab.threads));
  request.pool = lab.pool;
}

experiment::Protocol BenchRun::protocol() const {
  return recipe.is_null() ? experiment::read_protocol(path, request)
                          : experiment::make_protocol(recipe, path, request);
}

fs::path BenchRun::folder(const experiment::Protocol& protocol) const {
  return out.empty() ? fs::path("out") / fmt::format("{}-{}", protocol.name, protocol.size)
                     : fs::path(out);
}

void BenchRun::fit(double seconds, experiment::Probes& probes) {
  const std::size_t workers = workers_of(lab_, 1);
  const EmptyFolders folders(protocol().arms.front().recipe.pool.folder);
  request.caps = experiment::fit_budget(path, request, lab_.device, seconds, workers, probes);
  if (leads()) {
    fmt::print("the budget of {} allows N = {} models and E = {} repeats\n",
               experiment::duration_text(seconds), request.caps.models, request.caps.repeats);
  }
}

void BenchRun::dry_run(experiment::Probes& probes) {
  const experiment::Experiment experiment = experiment::open(protocol(), lab_.device);
  const EmptyFolders folders(experiment.arms.front().plan.recipe.pool.folder);
  pool::Store store(experiment.arms.front().plan.recipe.pool.folder);
  fmt::print("{}", experiment::plan_text(experiment, store));
  std::fflush(stdout);
  const auto estimate = experiment::estimate(experiment, store, workers_of(lab_, 1), probes);
  fmt::print("{}\n", experiment::estimate_text(estimate));
}

void BenchRun::open_store(const experiment::ArmPlan& arm) {
  const fs::path& pool = arm.recipe.pool.folder;
  if (!store_ || store_->folder() != pool) store_ = std::make_shared<pool::Store>(pool);
}

int BenchRun::work(const experiment::ArmPlan& arm, const std::vector<pool::Job>& jobs) {
  return work_off(lab_, launch_.place(), arm.recipe.train.threads, context_.arguments, *store_,
                  jobs);
}

std::vector<experiment::ArmAudit> BenchRun::measure(const experiment::Experiment& experiment,
                                                    const fs::path& folder) {
  const experiment::ArmPlan& first = experiment.arms.front().plan;
  open_store(first);
  const int code = work(first, experiment::jobs(experiment, store_));
  if (code != 0) context_.exit_code = code;
  if (!leads()) return {};
  // Jobs hold the data on the device; audits want the cores.
  set_threads(0);
  return experiment::measure(experiment, *store_, {folder, context_.command});
}

Json BenchRun::tune(const experiment::ArmPlan& arm, const Json& table, const fs::path& folder) {
  const auto settings = experiment::read_tune(table, arm.recipe.path.string());
  const auto points = experiment::tune_points(arm.recipe, settings);
  const experiment::Experiment experiment =
      experiment::open(experiment::tune_protocol(arm, settings, points), lab_.device);
  const std::string plan = experiment::plan_json(experiment).dump();
  const std::string key = sha256(std::as_bytes(std::span(plan)));
  const fs::path file = folder / (arm.folder() + ".json");
  const auto known = [&]() -> Json {
    if (!fs::exists(file)) return nullptr;
    const Json found = Json::parse(read_file(file), nullptr, false);
    return found.is_object() && found.value("key", "") == key ? found : Json();
  };
  if (const Json found = known(); !found.is_null()) return found;
  const auto audits = measure(experiment, folder / arm.folder());
  if (!leads()) {
    if (lab_.worker >= 0) return nullptr;
    // Another rank of mpirun: the first one judges.
    for (Json found = known();; found = known()) {
      if (!found.is_null()) return found;
      check_interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }
  const auto judged = experiment::judge_points(points, settings, audits);
  const Json result = {{"key", key},
                       {"methods", experiment::tuned_methods(arm.recipe, judged)},
                       {"text", experiment::tune_text(judged, settings)}};
  write_file(file, result.dump(1) + "\n");
  return result;
}

bool BenchRun::search_arms(experiment::Protocol& protocol, const fs::path& folder) {
  for (experiment::ArmPlan& arm : protocol.arms) {
    if (arm.worst_case.is_null()) continue;
    const experiment::Search plan = experiment::plan_search(arm, lab_.device);
    const fs::path list = folder / (arm.folder() + ".csv");
    const fs::path key = folder / (arm.folder() + ".key");
    const auto known = [&] {
      return fs::exists(list) && fs::exists(key) && read_file(key) == plan.key;
    };
    if (!known()) {
      open_store(arm);
      const int code = work(arm, train::training_jobs(plan.lab, plan.originals, store_));
      require(code == 0, "arm {}: its original could not be trained: nothing to search from",
              arm.name);
      if (lab_.worker >= 0) return false;
      if (leads()) {
        fs::create_directories(folder);
        write_file(list, experiment::search(plan, *store_));
        write_file(key, plan.key);
      }
      // Another rank of mpirun: the first one searches.
      while (!known()) {
        check_interrupt();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    }
    experiment::use_list(arm, list.string());
  }
  return true;
}

bool BenchRun::tune_arms(experiment::Protocol& protocol, const fs::path& folder) {
  for (experiment::ArmPlan& arm : protocol.arms) {
    if (!arm.tune) continue;
    const Json tuned = tune(arm, protocol.tune, folder / "tune");
    if (tuned.is_null()) return false;
    if (leads() && !lab_.quiet && !print_json) {
      fmt::print("tuned for arm {}:\n{}\n", arm.folder(), tuned.at("text").get<std::string>());
      std::fflush(stdout);
    }
    const fs::path pool = arm.recipe.pool.folder;
    Json table = arm.recipe.table;
    table["methods"] = tuned.at("methods");
    arm.recipe = train::make_recipe(std::move(table), arm.recipe.path);
    arm.recipe.pool.folder = pool;
  }
  return true;
}

void BenchRun::run() {
  const auto start = std::chrono::steady_clock::now();
  const std::string started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  experiment::Protocol protocol = this->protocol();
  const fs::path folder = this->folder(protocol);
  experiment::Experiment experiment = experiment::open(protocol, lab_.device);
  if (leads()) require_own(folder);
  const bool tunes = std::any_of(protocol.arms.begin(), protocol.arms.end(),
                                 [](const auto& arm) { return arm.tune; });
  const bool searches = std::any_of(protocol.arms.begin(), protocol.arms.end(),
                                    [](const auto& arm) { return !arm.worst_case.is_null(); });
  // Tuning has a split of its own, in which the list of a search would mean nothing.
  if (tunes && !tune_arms(protocol, folder)) return;
  if (searches && !search_arms(protocol, folder / "worst-case")) return;
  if (searches || tunes) experiment = experiment::open(std::move(protocol), lab_.device);
  if (leads() && !lab_.quiet && !print_json) {
    pool::Store store(experiment.arms.front().plan.recipe.pool.folder);
    fmt::print("{}\n", experiment::plan_text(experiment, store));
    std::fflush(stdout);
  }
  const auto audits = measure(experiment, folder);
  if (!leads()) return;
  write(experiment, audits, folder, started,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void BenchRun::write(const experiment::Experiment& experiment,
                     const std::vector<experiment::ArmAudit>& audits, const fs::path& folder,
                     const std::string& started, double seconds) {
  const auto rows = experiment::study_rows(audits);
  const study::Study study = study::study(rows, experiment.checks);
  const report::Results document =
      experiment::document(experiment, audits, study, experiment::costs(experiment, *store_),
                           {context_.command, started, seconds, threads()});
  const std::string json = report::results_text(document);
  write_file(folder / "results.json", json);
  std::vector<report::TableFile> page = {{"report.html", report::html(document)}};
  for (const report::SpecFile& file : report::spec_files(document)) {
    page.push_back({"plots/" + file.name, file.text});
  }
  write_all(folder, page);
  write_all(folder / "tables", report::study_csv(study));
  write_all(folder / "tables", report::study_latex(study));
  if (print_json) {
    fmt::print("{}", json);
  } else if (!lab_.quiet) {
    if (show_tables)
      fmt::print("{}\n", full ? report::study_text(study, true) : report::study_brief(study));
    fmt::print("took {}; open {}\n", experiment::duration_text(seconds),
               (folder / "report.html").string());
  }
}

}  // namespace vestige::cli
