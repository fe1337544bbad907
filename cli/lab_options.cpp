// Options, recipe and workers of the lab's verbs.
#include "cli/lab_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "vestige/base/progress.h"
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
  verb.add_option("--model-threads", options->threads,
                  "CPU threads per model, which is part of a model's name (default: the recipe's, "
                  "or 1)")
      ->check(CLI::NonNegativeNumber);
  verb.add_flag("--quiet", options->quiet, "No progress (default: on stderr)");
  if (with_workers) {
    verb.add_option("--workers", options->workers,
                    "Processes that share the work; 0: cores / threads per model; 1 on CUDA")
        ->check(CLI::NonNegativeNumber);
    verb.add_option("--worker", options->worker, "")->group("");
  }
  return options;
}

train::Recipe recipe_of(const LabOptions& options) {
  if (options.quiet) set_progress_style(ProgressStyle::quiet);
  std::vector<std::string> settings = options.settings;
  if (options.threads > 0) settings.push_back(fmt::format("train.threads={}", options.threads));
  train::Recipe recipe = train::read_recipe(options.recipe, settings);
  if (!options.pool.empty()) recipe.pool.folder = options.pool;
  return recipe;
}

std::size_t workers_of(const LabOptions& options, std::int64_t threads_per_model) {
  if (options.workers > 0) return static_cast<std::size_t>(options.workers);
  if (options.device == "cuda") return 1;
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  return std::max(1U, cores / static_cast<unsigned>(threads_per_model));
}

int work_off(const LabOptions& options, const train::Recipe& recipe,
             const std::vector<std::string>& arguments, pool::Store& store,
             std::span<const pool::Job> jobs) {
  const launch::Launch launch;
  return work_off(options, launch.place(), recipe.train.threads, arguments, store, jobs);
}

int work_off(const LabOptions& options, const launch::Place& place, std::int64_t threads_per_model,
             const std::vector<std::string>& arguments, pool::Store& store,
             std::span<const pool::Job> jobs) {
  const auto work = [&](std::size_t rank, std::size_t workers) {
    const pool::RunSummary summary = pool::run(
        store, jobs, {.rank = rank, .workers = workers, .progress = rank == 0 && !options.quiet});
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

void print_models(pool::Store& store, const std::vector<pool::Identity>& identities) {
  std::vector<pool::Entry> entries;
  std::string failed;
  for (const pool::Identity& identity : identities) {
    const std::string name = identity.name();
    if (store.has(name)) {
      entries.push_back(store.entry(name));
    } else if (const auto failure = pool::find_failure(store.folder(), name)) {
      failed += fmt::format("failed: {}: {}\n", identity.label, failure->why);
    }
  }
  fmt::print("{}{}", pool::pool_text(entries), failed);
}

}  // namespace vestige::cli
