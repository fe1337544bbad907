// What all verbs of the lab share: a recipe, changes to it, the pool, the device, the workers.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "vestige/pool/job.h"
#include "vestige/pool/run.h"
#include "vestige/train/lab.h"

namespace vestige::cli {

struct LabOptions {
  std::string recipe;
  std::vector<std::string> settings;
  std::string pool;
  std::string device = "cpu";
  int threads = 0;  ///< per model; 0: as the recipe says
  int workers = 0;  ///< processes; 0: cores / threads per model
  int worker = -1;  ///< place of a started process; -1: the one that people started
  bool quiet = false;
};

/// Adds RECIPE (unless the verb brings its own), --set, --pool, --device, --model-threads, --quiet,
/// and --workers if asked for.
std::shared_ptr<LabOptions> add_lab_options(CLI::App& verb, bool with_workers,
                                            bool with_recipe = true);

/// Reads the recipe with the command line's changes.
train::Recipe recipe_of(const LabOptions& options);

/// Processes that will share the work on this machine.
std::size_t workers_of(const LabOptions& options, std::int64_t threads_per_model);

/// Works the jobs off: on the ranks of mpirun or srun if there are any, else on this process and
/// --workers more. Returns the exit code: 0, or 2 if a job failed.
int work_off(const LabOptions& options, const train::Recipe& recipe,
             const std::vector<std::string>& arguments, pool::Store& store,
             std::span<const pool::Job> jobs);

/// The same for a verb that goes on afterwards and so holds its own place among the ranks.
int work_off(const LabOptions& options, const launch::Place& place, std::int64_t threads_per_model,
             const std::vector<std::string>& arguments, pool::Store& store,
             std::span<const pool::Job> jobs);

/// The table of these models as they are in the store, and one line for each that failed.
void print_models(pool::Store& store, const std::vector<pool::Identity>& identities);

}  // namespace vestige::cli
