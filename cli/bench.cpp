// vestige bench RECIPE: plan, train, unlearn, collect, audit and report a whole experiment.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/options.h"
#include "vestige/base/platform/process.h"
#include "vestige/experiment/conductor.h"
#include "vestige/experiment/estimates/duration.h"
#include "vestige/experiment/slurm.h"
#include "vestige/language/experiment.h"
#include "vestige/pool/devices.h"

namespace vestige::cli {
namespace {

struct BenchOptions {
  std::string size = "smoke";
  std::string out;
  std::string budget;
  std::string slurm;  ///< empty: none; kNamedByRecipe, or a file
  int array = 0;      ///< elements of the array; 0: as many as the estimate asks for
  bool json = false;
  bool dry_run = false;
  bool stand_in = false;
  bool full = false;
  bool force = false;
};

/// --slurm without a file; shown by --help.
constexpr const char* kNamedByRecipe = "NAME-SIZE.sbatch";

/// The words of this command without those that are for the script alone; it gives the threads
/// itself.
std::vector<std::string> bare_command(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t place = 0; place < words.size(); ++place) {
    const std::string name = words[place].substr(0, words[place].find('='));
    if (name == "--array" || name == "--threads") {
      if (name == words[place]) ++place;  // its value
    } else if (name != "--slurm" && name != "--dry-run" && name != "--stand-in" &&
               name != "--force") {
      kept.push_back(words[place]);
    }
  }
  return kept;
}

/// The program that people start: `vestige` beside the one that runs, if it is there.
std::string program_path() {
  const std::filesystem::path own = platform::own_program();
  const std::filesystem::path beside = own.parent_path() / "vestige";
  return (std::filesystem::exists(beside) ? beside : own).string();
}

void write_slurm(const LabOptions& lab, const BenchOptions& options, const Invocation& invocation,
                 experiment::Conductor& conductor, experiment::Probes& probes) {
  const std::int64_t threads_per_model = conductor.plan().variants.front().recipe.train.threads;
  std::filesystem::path file = options.slurm;
  if (options.slurm == kNamedByRecipe) {
    const experiment::ExperimentPlan plan = conductor.plan();
    file = fmt::format("{}-{}.sbatch", plan.name, plan.size);
  }
  require(options.force || !std::filesystem::exists(file),
          "{} exists, perhaps with changes of yours: remove it, give --slurm=FILE, or --force",
          file.string());
  experiment::SlurmJob job = conductor.slurm(static_cast<std::size_t>(options.array), probes);
  const bool cuda = lab.device == "cuda";
  // On a GPU the cores are for loading, orders of rows and audits.
  constexpr std::int64_t kCoresBesideGpu = 8;
  const auto workers = static_cast<std::int64_t>(workers_of(lab, threads_per_model));
  job.cores = lab.threads > 0 ? lab.threads : cuda ? kCoresBesideGpu : workers * threads_per_model;
  job.gpus = !cuda ? 0
             : lab.devices.empty()
                 ? 1
                 : static_cast<std::int64_t>(pool::devices_in(lab.devices).size());
  job.command = bare_command(invocation.arguments);
  job.command.insert(job.command.begin(), program_path());
  write_file(file, experiment::slurm_script(job));
  fmt::print("\n{} asks for {} element{} of {} core{}{} for {} each; submit it with\n  sbatch {}\n",
             file.string(), job.elements, job.elements == 1 ? "" : "s", job.cores,
             job.cores == 1 ? "" : "s",
             job.gpus > 0 ? fmt::format(" and {} GPU{}", job.gpus, job.gpus == 1 ? "" : "s") : "",
             experiment::duration_text(experiment::slurm_seconds(job.seconds)), file.string());
}

/// Recipes of language models have a conductor of their own.
void run_language(Json recipe, const LabOptions& lab, const BenchOptions& options,
                  Invocation& invocation) {
  require(options.budget.empty() && !options.stand_in,
          "--budget and --stand-in are for recipes of image models: choose a --size");
  require(options.slurm.empty(),
          "--slurm needs an estimate, which recipes of language models do not have: "
          "docs/lab/clusters.md has a script to start from");
  language::ExperimentSettings settings;
  settings.path = lab.recipe;
  settings.recipe = std::move(recipe);
  settings.request = {.size = options.size, .settings = lab.settings, .pool = lab.pool};
  if (lab.threads_per_model > 0) {
    settings.request.settings.push_back(fmt::format("engine.threads={}", lab.threads_per_model));
  }
  settings.out = options.out;
  settings.device = lab.device;
  settings.command = invocation.command;
  settings.quiet = lab.quiet;
  settings.full = options.full;
  settings.print_json = options.json;
  settings.force = options.force;
  settings.dry_run = options.dry_run;
  const launch::Launch launch;
  invocation.exit_code = language::conduct(settings, crew_of(lab, launch, invocation));
}

void run(const LabOptions& lab, const BenchOptions& options, Invocation& invocation) {
  require(options.array == 0 || !options.slurm.empty(),
          "--array is the number of elements that --slurm writes: add --slurm");
  require(options.slurm.empty() || options.budget.empty(),
          "--budget is found anew by every element: give --slurm the N and E that --budget printed "
          "(--set)");
  require(options.dry_run || !options.slurm.empty() || !options.stand_in,
          "--stand-in plans with synthetic data, whose results would say nothing: add --dry-run");
  invocation.after_interrupt = "what is finished is kept: run it again to go on";
  if (Json recipe = read_toml(lab.recipe); language::is_language(recipe)) {
    return run_language(std::move(recipe), lab, options, invocation);
  }
  experiment::ConductorSettings settings = conductor_settings(lab, invocation);
  settings.request.size = options.size;
  settings.out = options.out;
  settings.request.stand_in = options.stand_in;
  settings.full = options.full;
  settings.print_json = options.json;
  settings.force = options.force;
  const launch::Launch launch;
  experiment::Crew crew = crew_of(lab, launch, invocation);
  if (launch::array_place().size > 1 && launch.place().rank == 0 && lab.worker < 0) {
    // No element of an array is sure to run: whichever does is the one that leads.
    crew.part = experiment::CrewPart::follower;
    crew.elected = true;
  }
  experiment::Conductor conductor(std::move(settings), std::move(crew));
  experiment::Probes probes;
  if (!options.budget.empty()) conductor.fit(experiment::parse_duration(options.budget), probes);
  if (!options.slurm.empty()) return write_slurm(lab, options, invocation, conductor, probes);
  if (options.dry_run) return conductor.dry_run(probes);
  invocation.exit_code = conductor.run();
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "bench", "Run a whole experiment: train, unlearn, collect, audit, compare, report");
  auto lab = add_lab_options(*verb, true);
  auto options = std::make_shared<BenchOptions>();
  verb->add_option("--size", options->size, "smoke, paper, or another of the recipe's [sizes]");
  verb->add_option("--out", options->out,
                   "Folder for results, tables, evidence and audits (default: out/NAME-SIZE)");
  verb->add_flag(
      "--dry-run", options->dry_run,
      "Print the plan and a time estimate from short timing runs, and stop (default: run)");
  verb->add_flag(
      "--stand-in", options->stand_in,
      "With --dry-run or --slurm: plan with synthetic data of the same size where files are not at "
      "hand (default: refuse)");
  verb->add_option("--budget", options->budget,
                   "Time, e.g. 10m: take the largest N and E that fit (default: the recipe's)");
  verb->add_flag(
      fmt::format("--slurm{{{}}}", kNamedByRecipe), options->slurm,
      "Write the script of a Slurm job array and stop: array size and time from the "
      "estimate, cores, GPUs, resume; --slurm=FILE names it (default: NAME-SIZE.sbatch)");
  verb->add_option("--array", options->array,
                   "Elements of the array that --slurm writes; 0: so many that the models of each "
                   "take at most 4 hours")
      ->check(not_negative());
  verb->add_flag("--force", options->force,
                 "Replace the results of another experiment in the --out folder, or the file of "
                 "--slurm (default: refuse)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_flag("--full", options->full,
                 "Show every setting of every metric in the tables (default: main ones)");
  verb->callback([lab, options, &invocation] { run(*lab, *options, invocation); });
}

}  // namespace vestige::cli
