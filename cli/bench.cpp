// vestige bench RECIPE: plan, train, unlearn, collect, audit and report a whole experiment.
#include <utility>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/base/progress.h"
#include "vestige/experiment/conductor.h"
#include "vestige/language/experiment.h"

namespace vestige::cli {
namespace {

struct BenchOptions {
  std::string size = "smoke";
  std::string out;
  std::string budget;
  bool json = false;
  bool dry_run = false;
  bool stand_in = false;
  bool full = false;
  bool force = false;
};

/// Recipes of language models have a conductor of their own.
void run_language(Json recipe, const LabOptions& lab, const BenchOptions& options,
                  Context& context) {
  require(options.budget.empty() && !options.stand_in,
          "--budget and --stand-in are for recipes of image models: choose a --size");
  if (lab.quiet) set_progress_style(ProgressStyle::quiet);
  language::ExperimentSettings settings;
  settings.path = lab.recipe;
  settings.recipe = std::move(recipe);
  settings.request = {.size = options.size, .settings = lab.settings, .pool = lab.pool};
  if (lab.threads_per_model > 0) {
    settings.request.settings.push_back(fmt::format("engine.threads={}", lab.threads_per_model));
  }
  settings.out = options.out;
  settings.device = lab.device;
  settings.command = context.command;
  settings.quiet = lab.quiet;
  settings.full = options.full;
  settings.print_json = options.json;
  settings.force = options.force;
  settings.dry_run = options.dry_run;
  const launch::Launch launch;
  context.exit_code = language::conduct(settings, crew_of(lab, launch, context));
}

void run(const LabOptions& lab, const BenchOptions& options, Context& context) {
  require(options.dry_run || !options.stand_in,
          "--stand-in plans with made-up data, whose results would say nothing: add --dry-run");
  context.after_interrupt = "what is finished is kept: run it again to go on";
  if (Json recipe = read_toml(lab.recipe); language::is_language(recipe)) {
    return run_language(std::move(recipe), lab, options, context);
  }
  experiment::ConductorSettings settings = conductor_settings(lab, context);
  settings.request.size = options.size;
  settings.out = options.out;
  settings.request.stand_in = options.stand_in;
  settings.full = options.full;
  settings.print_json = options.json;
  settings.force = options.force;
  const launch::Launch launch;
  experiment::Conductor conductor(std::move(settings), crew_of(lab, launch, context));
  experiment::Probes probes;
  if (!options.budget.empty()) conductor.fit(experiment::parse_duration(options.budget), probes);
  if (options.dry_run) return conductor.dry_run(probes);
  context.exit_code = conductor.run();
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand(
      "bench", "Run a whole experiment: train, unlearn, collect, audit, compare, report");
  auto lab = add_lab_options(*verb, true);
  auto options = std::make_shared<BenchOptions>();
  verb->add_option("--size", options->size, "smoke, paper, or another of the recipe's [sizes]");
  verb->add_option("--out", options->out,
                   "Folder for results, tables, evidence and audits (default: out/NAME-SIZE)");
  verb->add_flag("--dry-run", options->dry_run,
                 "Print the plan and a time estimate from short probes, and stop (default: run)");
  verb->add_flag("--stand-in", options->stand_in,
                 "With --dry-run: plan with made-up data of the same size where files are not at "
                 "hand (default: refuse)");
  verb->add_option("--budget", options->budget,
                   "Time, e.g. 10m: take the largest N and E that fit (default: the recipe's)");
  verb->add_flag("--force", options->force,
                 "Replace the results of another experiment in the --out folder (default: refuse)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_flag("--full", options->full,
                 "Show every setting of every metric in the tables (default: main ones)");
  verb->callback([lab, options, &context] { run(*lab, *options, context); });
}

}  // namespace vestige::cli
