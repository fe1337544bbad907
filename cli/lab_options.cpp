// Options, recipe and workers of the lab's verbs.
#include "cli/lab_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <thread>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/pool/devices.h"
#include "vestige/pool/failures.h"
#include "vestige/pool/listing.h"
#include "vestige/pool/workers.h"
#include "vestige/train/training.h"

namespace vestige::cli {

std::shared_ptr<LabOptions> add_lab_options(CLI::App& verb, bool with_workers, bool with_recipe) {
  auto options = std::make_shared<LabOptions>();
  if (with_recipe) verb.add_option("RECIPE", options->recipe, "A recipe (TOML)")->required();
  verb.add_option("--set", options->settings,
                  "Change the recipe: section.key=value; may be given more than once")
      ->allow_extra_args(false);
  verb.add_option("--pool", options->pool, "Folder of the models (default: the recipe's, or pool)");
  verb.add_option("--device", options->device, "cpu or cuda");
  verb.add_option("--threads", options->threads,
                  "CPU threads of all processes together; 0: all cores")
      ->check(not_negative());
  verb.add_option("--threads-per-model", options->threads_per_model,
                  "CPU threads that train one model, which is part of its name; 0: the recipe's, "
                  "or 1")
      ->check(not_negative());
  verb.add_flag("--quiet", options->quiet, "No progress (default: on stderr)");
  if (with_workers) {
    verb.add_option("--devices", options->devices,
                    "CUDA devices that workers take in turn: numbers separated by commas, or all "
                    "(default: the first)");
    verb.add_option(
            "--workers", options->workers,
            "Processes that share the work; 0: threads / threads per model; on CUDA one per device")
        ->check(not_negative());
    verb.add_option("--worker", options->worker, "")->group("");
  }
  return options;
}

void add_external(CLI::App& verb, LabOptions& options) {
  verb.add_option("--external", options.external,
                  "A Python file with a function unlearn(model, forget, retain): one more method, "
                  "named after the file (default: the recipe's methods alone)");
}

namespace {

/// A Python file as one more entry of the recipe's methods: vestige.external of the Python package
/// reads the job and calls the file's function. The interpreter is no part of the method.
void add_python_method(const std::string& file, Json& methods) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  require(std::filesystem::is_regular_file(path),
          "--external {}: there is no such file: give a Python file with a function "
          "unlearn(model, forget, retain)",
          file);
  std::string quoted;
  for (const char letter : path.string()) {
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  if (!methods.is_array()) methods = Json::array();
  methods.push_back(
      {{"name", "external"},
       {"label", path.stem().string()},
       {"command",
        fmt::format("\"${{VESTIGE_PYTHON:-python3}}\" -m vestige.external '{}'", quoted)},
       {"files", {path.string()}},
       {"data", true}});
}

/// --set and --threads-per-model as changes to the recipe.
std::vector<std::string> changes_of(const LabOptions& options) {
  std::vector<std::string> changes = options.settings;
  if (options.threads_per_model > 0) {
    changes.push_back(fmt::format("train.threads={}", options.threads_per_model));
  }
  return changes;
}

int work_off_at(const launch::Place& place, const LabOptions& options, const Context& context,
                std::int64_t threads_per_model, const std::vector<std::string>& arguments,
                pool::Store& store, std::span<const pool::Job> jobs) {
  const launch::Place array = launch::array_place();
  const auto work = [&](std::size_t rank, std::size_t workers) {
    const pool::RunSummary summary = context.run([&] {
      return pool::run(store, jobs,
                       {.rank = array.rank * workers + rank,
                        .workers = array.size * workers,
                        .progress = rank == 0,
                        .style = context.progress()});
    });
    return summary.failed > 0 ? 2 : 0;
  };
  if (place.size > 1) return work(place.rank, place.size);
  const std::size_t workers =
      std::min(workers_of(options, threads_per_model), std::max<std::size_t>(1, jobs.size()));
  if (options.worker >= 0) {
    pool::become_worker();
    return work(static_cast<std::size_t>(options.worker), workers);
  }
  return pool::run_workers(static_cast<int>(workers), arguments, [&] { return work(0, workers); });
}

}  // namespace

void pick_device(const LabOptions& options) {
  if (options.devices.empty()) return;
  require(options.device == "cuda", "--devices is for --device cuda: this run is on {}",
          options.device);
  // A launcher's processes on one machine are counted by the launcher.
  int place = std::max(options.worker, 0);
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    if (const char* rank = std::getenv(variable); rank != nullptr && options.worker < 0) {
      place = std::atoi(rank);
    }
  }
  pool::take_device(pool::devices_in(options.devices), static_cast<std::size_t>(place));
}

Context context_of(const LabOptions& options) {
  return Context({.threads = options.threads,
                  .progress = options.quiet ? ProgressStyle::quiet : ProgressStyle::automatic});
}

train::Recipe recipe_of(const LabOptions& options) {
  pick_device(options);
  train::Recipe recipe = train::read_recipe(options.recipe, changes_of(options));
  if (!options.pool.empty()) recipe.pool.folder = options.pool;
  if (!options.external.empty()) add_python_method(options.external, recipe.table["methods"]);
  return recipe;
}

std::size_t workers_of(const LabOptions& options, std::int64_t threads_per_model) {
  if (options.workers > 0) return static_cast<std::size_t>(options.workers);
  if (options.device == "cuda") {
    return options.devices.empty() ? 1 : pool::devices_in(options.devices).size();
  }
  const unsigned threads = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                               : std::thread::hardware_concurrency();
  return std::max(1U, threads / static_cast<unsigned>(threads_per_model));
}

int work_off(const LabOptions& options, const train::Lab& lab,
             const std::vector<std::string>& arguments, pool::Store& store,
             std::span<const pool::Job> jobs) {
  const launch::Launch launch;
  return work_off_at(launch.place(), options, lab.context, lab.recipe.train.threads, arguments,
                     store, jobs);
}

experiment::ConductorSettings conductor_settings(const LabOptions& options,
                                                 const Invocation& invocation) {
  pick_device(options);
  experiment::ConductorSettings settings;
  settings.path = options.recipe;
  settings.request.settings = changes_of(options);
  settings.request.pool = options.pool;
  settings.device = options.device;
  settings.command = invocation.command;
  settings.quiet = options.quiet;
  return settings;
}

experiment::Crew crew_of(const LabOptions& options, const launch::Launch& launch,
                         const Invocation& invocation) {
  experiment::Crew crew;
  crew.part = options.worker >= 0 ? experiment::CrewPart::worker
              : launch.place().rank > 0 || launch::array_place().rank > 0
                  ? experiment::CrewPart::follower
                  : experiment::CrewPart::leader;
  crew.context = context_of(options);
  crew.workers = [&options](std::int64_t threads_per_model) {
    return workers_of(options, threads_per_model);
  };
  crew.work_off = [&, context = crew.context](pool::Store& store, std::span<const pool::Job> jobs,
                                              std::int64_t threads_per_model) {
    return work_off_at(launch.place(), options, context, threads_per_model, invocation.arguments,
                       store, jobs);
  };
  return crew;
}

void print_models(pool::Store& store, const std::vector<pool::Identity>& identities) {
  std::vector<pool::Entry> entries;
  std::string failed;
  for (const pool::Identity& identity : identities) {
    const std::string name = identity.name();
    if (auto entry = store.find(name)) {
      entries.push_back(*std::move(entry));
    } else if (const auto failure = pool::find_failure(store.folder(), name)) {
      failed += fmt::format("failed: {}: {}\n", identity.label, failure->why);
    }
  }
  fmt::print("{}{}", pool::pool_text(entries), failed);
}

NewPoolFolder::NewPoolFolder(std::filesystem::path folder)
    : folder_(std::move(folder)),
      was_there_(std::filesystem::exists(folder_)),
      errors_(std::uncaught_exceptions()) {}

NewPoolFolder::~NewPoolFolder() {
  std::error_code ignored;  // what is not empty stays
  if (!was_there_ && std::uncaught_exceptions() > errors_) {
    std::filesystem::remove(folder_, ignored);
  }
}

}  // namespace vestige::cli
