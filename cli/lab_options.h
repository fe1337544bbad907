// What all verbs of the lab share: a recipe, changes to it, the pool, the device, the workers, and
// the conductor of an experiment made of them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "launch/launch.h"
#include "vestige/base/context.h"
#include "vestige/experiment/conductor.h"
#include "vestige/pool/job.h"
#include "vestige/pool/run.h"
#include "vestige/train/lab.h"

namespace vestige::cli {

struct LabOptions {
  std::string recipe;
  std::vector<std::string> settings;
  std::string external;  ///< a Python file with a function unlearn(model, forget, retain)
  std::string pool;
  std::string device = "cpu";
  std::string devices;  ///< numbers of CUDA devices, which workers take in turn; empty: the first
  int threads = 0;      ///< of all processes on this machine together; 0: all cores
  int threads_per_model = 0;  ///< 0: as the recipe says
  int workers = 0;            ///< processes; 0: threads / threads per model
  int worker = -1;            ///< place of a started process; -1: the one that people started
  bool quiet = false;
};

/// Adds RECIPE (unless the verb brings its own), --set, --pool, --device, --threads,
/// --threads-per-model, --quiet, and --workers if asked for.
std::shared_ptr<LabOptions> add_lab_options(CLI::App& verb, bool with_workers,
                                            bool with_recipe = true);

/// Adds --external.
void add_external(CLI::App& verb, LabOptions& options);

/// Picks this process's CUDA device where --devices names several; before anything else of a verb.
void pick_device(const LabOptions& options);

/// Threads and progress of this process.
Context context_of(const LabOptions& options);

/// Reads the recipe with the command line's changes.
train::Recipe recipe_of(const LabOptions& options);

/// Processes that will share the work on this machine.
std::size_t workers_of(const LabOptions& options, std::int64_t threads_per_model);

/// Works the jobs off: on the ranks of mpirun or srun if there are any, else on this process and
/// --workers more. Returns the exit code: 0, or 2 if a job failed.
int work_off(const LabOptions& options, const train::Lab& lab,
             const std::vector<std::string>& arguments, pool::Store& store,
             std::span<const pool::Job> jobs);

/// An experiment's settings as far as these options give them.
experiment::ConductorSettings conductor_settings(const LabOptions& options,
                                                 const Invocation& invocation);

/// The processes that conduct an experiment together; all three must outlive it.
experiment::Crew crew_of(const LabOptions& options, const launch::Launch& launch,
                         const Invocation& invocation);

/// The table of these models as they are in the store, and one line for each that failed.
void print_models(pool::Store& store, const std::vector<pool::Identity>& identities);

/// A refused command leaves nothing behind: a pool's folder that was not there goes again if an
/// error ends the scope before anything lies in it. To be made before the pool.
class NewPoolFolder {
 public:
  explicit NewPoolFolder(std::filesystem::path folder);
  ~NewPoolFolder();
  NewPoolFolder(const NewPoolFolder&) = delete;
  NewPoolFolder& operator=(const NewPoolFolder&) = delete;

 private:
  std::filesystem::path folder_;
  bool was_there_;
  int errors_;  ///< under way when this was made
};

}  // namespace vestige::cli
